/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* sessions PACKAGE...: calls sessions from eight threads, half of the calls on
   one session that all share, half on sessions of their own, made from one
   package at once; and the messages of wrong tensors and calls. */
#include "kiln-c/Runtime.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kThreads = 8, kCalls = 40, kElements = 20000 };
static KilnPackage *package;
static KilnSession *shared;
static float input[kElements], expected[kElements];

static void require(int holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "%s: %s\n", what, kilnLastError());
  exit(1);
}

static void count(const KilnCallReport *report, void *user) {
  require(report->structSize == sizeof *report && report->numLaunches &&
              !strcmp(report->entry, "main") && report->seconds > 0 &&
              report->launches[0]->structSize == sizeof(KilnLaunchReport),
          "report");
  *(int *)user += 1;
}

static KilnTensor *call(KilnSession *session, const float *data) {
  const int64_t shape[1] = {kElements};
  KilnTensor *argument, *result;
  KilnCallOptions options = {0};
  int reports = 0;
  options.structSize = sizeof options;
  options.report = count;
  options.reportUser = &reports;
  /* A wrapped tensor is written to by nobody: cast away what C lacks. */
  void *bytes = NULL;
  memcpy(&bytes, &data, sizeof bytes);
  require(!kilnTensorWrap(KILN_DTYPE_F32, 1, shape, NULL, bytes, &argument),
          "wrap");
  require(!kilnSessionCall(session, "main", 1, &argument, 1, &result, &options),
          "call");
  require(reports == 1, "one report");
  kilnTensorDestroy(argument);
  return result;
}

static void *work(void *unused) {
  KilnSession *own;
  (void)unused;
  require(!kilnSessionCreate(package, "cpu,threads=2", &own), "session");
  for (int i = 0; i < kCalls; ++i) {
    KilnTensor *result = call(i % 2 ? own : shared, input);
    require(!memcmp(kilnTensorData(result), expected, sizeof expected),
            "result");
    kilnTensorDestroy(result);
    KilnTensor *none;
    require(kilnSessionRun(own, "absent", 0, NULL, 0, &none) &&
                strstr(kilnLastError(), "'absent'"),
            "error of this thread");
  }
  kilnSessionDestroy(own);
  return NULL;
}

static void messages(void) {
  const int64_t negative[2] = {3, -2}, shape[2] = {3, 2}, strides[2] = {-2, 1};
  const int64_t large[2] = {INT64_MAX / 2, 4};
  float data[6];
  KilnTensor *tensor;
  require(kilnTensorCreate(KILN_DTYPE_F32, 2, negative, &tensor), "negative");
  puts(kilnLastError());
  require(kilnTensorWrap(KILN_DTYPE_F32, 2, negative, NULL, data, &tensor),
          "negative");
  puts(kilnLastError());
  require(kilnTensorWrap(KILN_DTYPE_F32, 2, shape, strides, data, &tensor),
          "stride");
  puts(kilnLastError());
  require(kilnTensorCreate(KILN_DTYPE_F32, 2, large, &tensor), "large");
  puts(kilnLastError());
  require(kilnTensorCreate(KILN_DTYPE_F32, -1, shape, &tensor), "rank");
  puts(kilnLastError());
  require(kilnTensorCreate(KILN_DTYPE_F32, 40, shape, &tensor), "rank");
  puts(kilnLastError());
  require(kilnTensorCreate((KilnDType)1000, 2, shape, &tensor), "type");
  puts(kilnLastError());
  KilnCallOptions options = {0};
  options.structSize = sizeof options;
  options.grid[0] = 1;
  require(kilnSessionCall(shared, "main", 0, NULL, 0, NULL, &options), "grid");
  puts(kilnLastError());
}

int main(int argc, char **argv) {
  pthread_t threads[kThreads];
  require(argc > 1 && !kilnPackageLoadFile(argv[1], &package), "package");
  require(!kilnSessionCreate(package, NULL, &shared), "session");
  for (int i = 0; i < kElements; ++i)
    input[i] = (float)i / kElements;
  KilnTensor *first = call(shared, input);
  memcpy(expected, kilnTensorData(first), sizeof expected);
  for (int i = 0; i < kThreads; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < kThreads; ++i)
    pthread_join(threads[i], NULL);
  messages();
  /* In any order. */
  kilnSessionDestroy(shared);
  kilnPackageDestroy(package);
  require(!memcmp(kilnTensorData(first), expected, sizeof expected), "result");
  kilnTensorDestroy(first);
  return 0;
}

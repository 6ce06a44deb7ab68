/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* callback PACKAGE: runs `main` without the function that it calls, with it,
   and with it failing. */
#include "kiln-c/Runtime.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct State {
  int calls, fails;
} State;

static int triple(void *user, size_t numSources, const KilnLentTensor *sources,
                  size_t numTargets, const KilnLentTensor *targets,
                  char *message, size_t size) {
  State *state = user;
  ++state->calls;
  if (state->fails || numSources != 1 || numTargets != 1) {
    snprintf(message, size, "not today");
    return 1;
  }
  const float *from = sources[0].data;
  float *to = targets[0].data;
  for (int64_t i = 0; i < sources[0].shape[0] * sources[0].shape[1]; ++i)
    to[i] = 3 * from[i];
  return 0;
}

static int log_nothing(void *user, size_t numSources,
                       const KilnLentTensor *sources, size_t numTargets,
                       const KilnLentTensor *targets, char *message,
                       size_t size) {
  (void)sources, (void)targets, (void)message, (void)size;
  *(int *)user += numSources == 1 && !numTargets;
  return 0;
}

static void require(int holds) {
  if (holds)
    return;
  fprintf(stderr, "%s\n", kilnLastError());
  exit(1);
}

int main(int argc, char **argv) {
  float data[4] = {1, 2, 3, 4};
  const int64_t shape[2] = {2, 2};
  int64_t found[2];
  State state = {0, 0};
  int logged = 0;
  KilnPackage *package;
  KilnSession *session;
  KilnTensor *argument, *result;
  if (argc != 2)
    return 2;
  require(!kilnPackageLoadFile(argv[1], &package));
  require(!kilnSessionCreate(package, "cpu", &session));
  require(!kilnTensorWrap(KILN_DTYPE_F32, 2, shape, NULL, data, &argument));
  require(kilnSessionRun(session, "main", 1, &argument, 1, &result));
  puts(kilnLastError());
  require(!kilnCallbackRegister("triple", triple, &state));
  require(!kilnCallbackRegister("log", log_nothing, &logged));
  require(!kilnSessionRun(session, "main", 1, &argument, 1, &result));
  const float *values = kilnTensorData(result);
  found[0] = kilnTensorShape(result)[0];
  found[1] = kilnTensorShape(result)[1];
  printf("%g %g %g %g, shape %d %d, calls %d and %d\n", (double)values[0],
         (double)values[1], (double)values[2], (double)values[3], (int)found[0],
         (int)found[1], state.calls, logged);
  kilnTensorDestroy(result);
  state.fails = 1;
  require(kilnSessionRun(session, "main", 1, &argument, 1, &result));
  puts(kilnLastError());
  require(!kilnCallbackRemove("triple"));
  require(kilnCallbackRemove("triple"));
  puts(kilnLastError());
  kilnTensorDestroy(argument);
  kilnSessionDestroy(session);
  kilnPackageDestroy(package);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* null PACKAGE: every pointer of the C interfaces may be null without a crash,
   and entries tell the names of what they take. */
#include "kiln-c/Compiler.h"
#include "kiln-c/Runtime.h"
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char *what, int line) {
  if (holds)
    return;
  ++failures;
  printf("line %d: %s (%s)\n", line, what, kilnLastError());
}
#define CHECK(X) check(X, #X, __LINE__)
/* A failure whose message says that something is null. */
#define REFUSES(X) check((X) != 0 && strstr(kilnLastError(), "is null"), #X, __LINE__)

static void testNames(KilnSession *s) {
  CHECK(!strcmp(kilnEntryArgumentName(s, "f", 0), "x"));
  CHECK(!strcmp(kilnEntryArgumentName(s, "f", 1), "serving:0"));
  CHECK(!kilnEntryArgumentName(s, "f", 2) && !kilnEntryArgumentName(s, "f", -1));
  CHECK(!kilnEntryArgumentName(s, "g", 0) && !kilnEntryArgumentName(s, NULL, 0));
  CHECK(!strcmp(kilnEntryResultName(s, "f", 0), "out:0"));
  CHECK(!kilnEntryResultName(s, "f", 1));
  CHECK(!strcmp(kilnEntryDimensionName(s, "f", 1, 0), "batch"));
  CHECK(!kilnEntryDimensionName(s, "f", 0, 0) && !kilnEntryDimensionName(s, "f", 1, 1));
  CHECK(kilnEntryFindArgument(s, "f", "serving:0") == 1);
  CHECK(kilnEntryFindArgument(s, "f", "y") == -1);
  CHECK(!strcmp(kilnLastError(), "'f' has no argument 'y'"));
  CHECK(kilnEntryFindArgument(s, "f", NULL) == -1);
  CHECK(kilnEntryFindResult(s, "f", "out:0") == 0);
  CHECK(kilnEntryFindResult(s, "f", "x") == -1);
}

static void testCompiler(void) {
  void *bytes = &failures;
  size_t size = 1;
  const char *args[] = {"--target=cpu", NULL};
  CHECK(kilnCompileFile(NULL, 1, args, NULL, NULL, &bytes, &size) == 2);
  CHECK(!bytes && !size);
  CHECK(kilnCompileFile("x.mlir", 1, NULL, NULL, NULL, &bytes, &size) == 2);
  CHECK(kilnCompileFile("x.mlir", 2, args, NULL, NULL, &bytes, &size) == 2);
  CHECK(kilnCompileFile("x.mlir", 1, args, NULL, NULL, NULL, &size) == 2);
  CHECK(kilnCompileFile("x.mlir", 1, args, NULL, NULL, &bytes, NULL) == 2);
  CHECK(kilnCompileBuffer(NULL, 5, NULL, 1, args, NULL, NULL, &bytes, &size) == 2);
  CHECK(kilnCompileBuffer(NULL, 0, NULL, 1, args, NULL, NULL, &bytes, &size) == 1);
  kilnFreeBytes(NULL);
}

int main(int argc, char **argv) {
  KilnPackage *package = NULL;
  KilnSession *session = NULL;
  KilnTensor *tensor = NULL, *results[1] = {(KilnTensor *)argv};
  int64_t shape[2] = {2, 3}, grid[3] = {1, 1, 1};
  if (argc != 2 || kilnPackageLoadFile(argv[1], &package))
    return printf("%s\n", kilnLastError()), 1;
  REFUSES(kilnPackageLoadFile(NULL, &package));
  REFUSES(kilnPackageLoadFile(argv[1], NULL));
  REFUSES(kilnPackageLoad(NULL, 5, &package));
  REFUSES(kilnPackageLoad("x", 1, NULL));
  CHECK(kilnPackageNumTargets(NULL) == 0 && !kilnPackageTarget(NULL, 0));
  REFUSES(kilnSessionCreate(NULL, NULL, &session));
  REFUSES(kilnSessionCreate(package, NULL, NULL));
  CHECK(kilnSessionCreate(package, NULL, &session) == 0);
  testNames(session);
  CHECK(kilnSessionNumEntries(NULL) == 0 && !kilnSessionEntry(NULL, 0));
  CHECK(kilnEntryNumArguments(NULL, "f") == -1 && kilnEntryNumResults(session, NULL) == -1);
  CHECK(kilnEntryArgument(NULL, "f", 0, NULL, NULL, 0) == -1);
  CHECK(kilnEntryArgument(session, "f", 0, NULL, NULL, 4) == 2);
  CHECK(kilnEntryResult(session, "f", 0, NULL, NULL, 4) == 2);
  REFUSES(kilnTensorCreate(KILN_DTYPE_F32, 2, NULL, &tensor));
  REFUSES(kilnTensorCreate(KILN_DTYPE_F32, 2, shape, NULL));
  REFUSES(kilnTensorWrap(KILN_DTYPE_F32, 2, shape, NULL, NULL, &tensor));
  REFUSES(kilnTensorWrap(KILN_DTYPE_F32, 2, NULL, NULL, grid, &tensor));
  REFUSES(kilnTensorWrap(KILN_DTYPE_F32, 2, shape, NULL, grid, NULL));
  REFUSES(kilnTensorLoadNpy(NULL, &tensor));
  REFUSES(kilnTensorLoadNpy("x.npy", NULL));
  REFUSES(kilnTensorSaveNpy(NULL, "x.npy"));
  CHECK(kilnTensorCreate(KILN_DTYPE_F32, 2, shape, &tensor) == 0);
  REFUSES(kilnTensorSaveNpy(tensor, NULL));
  CHECK(kilnTensorDType(NULL) == KILN_DTYPE_NONE && kilnTensorRank(NULL) == -1);
  CHECK(!kilnTensorShape(NULL) && !kilnTensorStrides(NULL) && !kilnTensorData(NULL));
  KilnTensor *arguments[2] = {tensor, NULL};
  REFUSES(kilnSessionRun(session, "f", 2, arguments, 1, results));
  CHECK(!strcmp(kilnLastError(), "argument 1 of 'f' is null") && !results[0]);
  REFUSES(kilnSessionRun(NULL, "f", 2, arguments, 1, results));
  REFUSES(kilnSessionRun(session, "f", 2, NULL, 1, results));
  REFUSES(kilnSessionRun(session, "f", 2, arguments, 1, NULL));
  CHECK(kilnSessionRun(session, NULL, 2, arguments, 1, results) != 0);
  REFUSES(kilnSessionLaunch(session, "f", NULL, 2, arguments));
  CHECK(kilnSessionLaunch(session, "f", grid, 2, arguments) != 0);
  kilnTensorDestroy(NULL);
  kilnSessionDestroy(NULL);
  kilnPackageDestroy(NULL);
  kilnTensorDestroy(tensor);
  kilnSessionDestroy(session);
  kilnPackageDestroy(package);
  testCompiler();
  return failures != 0;
}

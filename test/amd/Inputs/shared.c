/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* shared PACKAGE OTHER: two sessions of one device share memory and a queue.
   Both packages have a function `main` of 64 floats. */
#include "kiln-c/Runtime.h"
#include <stdio.h>
#include <stdlib.h>

static void require(int holds) {
  if (holds)
    return;
  fprintf(stderr, "%s\n", kilnLastError());
  exit(1);
}

static KilnSession *open(const char *path) {
  KilnPackage *package;
  KilnSession *session;
  require(!kilnPackageLoadFile(path, &package));
  require(!kilnSessionCreate(package, NULL, &session));
  kilnPackageDestroy(package);
  return session;
}

int main(int argc, char **argv) {
  enum { kCount = 64, kSteps = 20 };
  float data[kCount], found[kCount];
  const int64_t shape[1] = {kCount};
  KilnTensor *host, *to, *x, *first, *result;
  void *queue, *address, *again;
  KilnCallOptions options = {0};
  if (argc != 3)
    return 2;
  KilnSession *a = open(argv[1]), *b = open(argv[2]);
  for (int i = 0; i < kCount; ++i)
    data[i] = (float)i;
  require(!kilnTensorWrap(KILN_DTYPE_F32, 1, shape, NULL, data, &host));
  require(!kilnTensorWrap(KILN_DTYPE_F32, 1, shape, NULL, found, &to));
  require(!kilnSessionWorksInHostMemory(a, 0));
  require(!kilnSessionAllocate(a, 0, KILN_DTYPE_F32, 1, shape, &x));
  require(!kilnSessionCopy(a, host, x));
  require(!kilnSessionQueue(a, 0, &queue));
  require(!kilnSessionUseQueue(b, 0, queue));
  require(!kilnTensorAddress(x, &address));
  first = x;

  /* Each call takes what the call before it left, and waits for nothing. */
  options.structSize = sizeof options;
  options.flags = KILN_CALL_ON_DEVICE | KILN_CALL_NO_WAIT;
  for (int i = 0; i < kSteps; ++i) {
    KilnTensor *there, *mine;
    KilnSession *on = i % 2 ? b : a;
    require(!kilnSessionAdopt(on, 0, x, &there));
    require(!kilnSessionCall(on, "main", 1, &there, 1, &result, &options));
    require(!kilnSessionAdopt(a, 0, result, &mine));
    kilnTensorDestroy(there);
    kilnTensorDestroy(result);
    if (x != first)
      kilnTensorDestroy(x);
    x = mine;
  }
  require(!kilnSessionCopy(a, x, to));
  require(!kilnSessionSynchronize(a));
  printf("%g %g %g\n", found[0], found[1], found[63]);

  /* What comes back is the memory that went. */
  KilnTensor *there, *back;
  require(!kilnSessionAdopt(b, 0, first, &there));
  require(!kilnSessionAdopt(a, 0, there, &back));
  require(!kilnTensorAddress(back, &again));
  puts(address == again ? "the same memory" : "other memory");

  /* Mistakes. */
  if (kilnSessionCopy(a, there, to))
    puts(kilnLastError());
  const int64_t other[1] = {32};
  KilnTensor *small;
  require(!kilnSessionAllocate(a, 0, KILN_DTYPE_F32, 1, other, &small));
  if (kilnSessionCopy(a, small, to))
    puts(kilnLastError());
  if (kilnSessionAllocate(a, 7, KILN_DTYPE_F32, 1, other, &small))
    puts(kilnLastError());
  kilnTensorDestroy(small);
  kilnTensorDestroy(there);
  kilnTensorDestroy(back);
  kilnTensorDestroy(first);
  kilnTensorDestroy(x);
  kilnTensorDestroy(host);
  kilnTensorDestroy(to);
  kilnSessionDestroy(b);
  kilnSessionDestroy(a);
  return 0;
}

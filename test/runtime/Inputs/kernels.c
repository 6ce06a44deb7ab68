/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Kernels as a compiler for the cpu device would export them, in two libraries.
#include "kiln-c/Kernel.h"
#include <stddef.h>

#if PART == 1

// (a, b, out): out = a + b; one instance does four elements.
void add(const int64_t *args, int64_t first, int64_t last, void *scratch,
         const KilnKernelRuntime *rt) {
  const float *a = (const float *)args[3];
  const float *b = (const float *)args[6];
  float *out = (float *)args[9];
  int64_t n = args[10], sa = args[5], sb = args[8], so = args[11];
  for (int64_t p = first; p < last; ++p)
    for (int64_t i = 4 * p; i < 4 * p + 4 && i < n; ++i)
      out[i * so] = a[i * sa] + b[i * sb];
}

// (x, factor, out): out = factor * x, staged through the scratch memory.
void scale(const int64_t *args, int64_t first, int64_t last, void *scratch,
           const KilnKernelRuntime *rt) {
  const float *x = (const float *)args[3];
  union {
    uint32_t bits;
    float value;
  } factor = {(uint32_t)args[6]};
  float *out = (float *)args[7];
  float *stage = scratch;
  int64_t n = args[8];
  if ((uintptr_t)scratch % 64)
    rt->fault(rt, "the scratch memory is not aligned");
  for (int64_t p = first; p < last; ++p) {
    for (int64_t i = 0; i < 4 && 4 * p + i < n; ++i)
      stage[i] = x[4 * p + i];
    for (int64_t i = 0; i < 4 && 4 * p + i < n; ++i)
      out[4 * p + i] = factor.value * stage[i];
  }
}

#else

// (counter): counts the instances of a grid, one per element.
void count(const int64_t *args, int64_t first, int64_t last, void *scratch,
           const KilnKernelRuntime *rt) {
  int32_t *counter = (int32_t *)args[3];
  for (int64_t p = first; p < last; ++p)
    counter[p] += 1;
}

void faulty(const int64_t *args, int64_t first, int64_t last, void *scratch,
            const KilnKernelRuntime *rt) {
  rt->fault(rt, "something is wrong");
}

#endif

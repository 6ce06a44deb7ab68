/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A kernel with a workspace, which it expects to be zero.
#include "kiln-c/Kernel.h"

// (a, b, out, workspace): out = a + b; one instance does four elements, through
// eight bytes of the workspace.
void summed(const int64_t *args, int64_t first, int64_t last, void *scratch,
            const KilnKernelRuntime *rt) {
  const float *a = (const float *)args[3];
  const float *b = (const float *)args[6];
  float *out = (float *)args[9];
  float *work = (float *)args[12];
  if (args[13] < 8 * args[0] || args[14] != 1)
    return rt->fault(rt, "the workspace is too small");
  for (int64_t p = first; p < last; ++p) {
    if (work[2 * p] != 0 || work[2 * p + 1] != 0)
      return rt->fault(rt, "the workspace is not zero");
    for (int64_t i = 4 * p; i < 4 * p + 4 && i < args[10]; ++i) {
      work[2 * p] = a[i];
      work[2 * p + 1] = b[i];
      out[i] = work[2 * p] + work[2 * p + 1];
    }
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with functions under the names that SciPy's library gives them.
// Each matrix is one that has no root. Numbers of threads are printed.
#include <cstddef>
#include <cstdio>

extern "C" {
void scipy_spotrf_(const char *, const int *, float *, const int *, int *info,
                   size_t) {
  *info = 1;
}
static int numThreads = 512;
int scipy_openblas_get_num_threads() { return numThreads; }
void scipy_openblas_set_num_threads(int count) {
  std::fprintf(stderr, "threads %d\n", count);
  // As if the host program had set a limit before the next call.
  numThreads = count == 512 ? 300 : count;
}
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with one function of LAPACK, under the name that SciPy's library
// gives it: each matrix is one that has no root.
#include <cstddef>

extern "C" void scipy_spotrf_(const char *, const int *, float *, const int *,
                              int *info, size_t) {
  *info = 1;
}

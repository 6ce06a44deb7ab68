// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many threads the library of linear algebra may use.
#ifndef KILN_LIB_RUNTIME_LAPACKTHREADS_H
#define KILN_LIB_RUNTIME_LAPACKTHREADS_H

#include "HostFunctions.h"

namespace kiln::runtime {

/// While it lives, OpenBLAS uses as many threads as a call has work for, and at
/// most as many as this process has processors. By itself it starts one for
/// each processor of the machine, which takes a thousand times as long where a
/// container has fewer. Another library, or one for which the environment says
/// a number, is left alone.
class LapackThreads {
public:
  explicit LapackThreads(const HostCall &call);
  ~LapackThreads();
  LapackThreads(const LapackThreads &) = delete;
  LapackThreads &operator=(const LapackThreads &) = delete;
};

} // namespace kiln::runtime

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many threads the library of linear algebra may use.
#ifndef KILN_LIB_RUNTIME_LAPACKTHREADS_H
#define KILN_LIB_RUNTIME_LAPACKTHREADS_H

#include "HostFunctions.h"

namespace kiln::runtime {

/// While it lives, OpenBLAS uses as many threads as a call has work for, and at
/// most as many as this process has processors and as the library had before.
/// By itself it starts one for each processor of the machine, which wait for
/// each other where a container has fewer. Calls of several threads share one
/// number; the last of them restores what was there before the first. Another
/// library, or one for which the environment says a number, is left alone.
class LapackThreads {
public:
  explicit LapackThreads(const HostCall &call);
  ~LapackThreads();
  LapackThreads(const LapackThreads &) = delete;
  LapackThreads &operator=(const LapackThreads &) = delete;

private:
  bool isUser = false;
};

} // namespace kiln::runtime

#endif

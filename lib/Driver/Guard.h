//===- Guard.h - Threads and memory of a compilation ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_GUARD_H
#define KILN_LIB_DRIVER_GUARD_H

#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>

namespace kiln::driver {

/// Runs `body` on a thread with a deep stack.
int runDeep(const std::function<int()> &body);

/// Once no memory is left, or LLVM gives up, ends this process with status 1
/// after `say`, which gets the whole diagnostic about the input `name`.
void exitOnFatalErrors(std::string name,
                       std::function<void(llvm::StringRef)> say);

/// In a child made by fork: no core file, and it ends with its parent.
void beginChild();

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_GUARD_H

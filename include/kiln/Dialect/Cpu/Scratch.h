//===- Scratch.h - Scratch memory of compiled kernels -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_CPU_SCRATCH_H
#define KILN_DIALECT_CPU_SCRATCH_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace kiln::cpu {

/// The name of the constant beside the function of a kernel that says how many
/// bytes of scratch memory a call gets (i64). The device compares it with what
/// the package says.
inline std::string scratchSymbol(llvm::StringRef kernel) {
  return (kernel + "_scratch").str();
}

} // namespace kiln::cpu

#endif // KILN_DIALECT_CPU_SCRATCH_H

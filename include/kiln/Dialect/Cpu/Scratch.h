//===- Scratch.h - Scratch memory of compiled kernels -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_CPU_SCRATCH_H
#define KILN_DIALECT_CPU_SCRATCH_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace kiln::cpu {

/// Returns the name of the constant that states how many bytes of scratch
/// memory a call of the kernel needs (i64). The device driver compares it with
/// the package.
inline std::string scratchSymbol(llvm::StringRef kernel) {
  return (kernel + "_scratch").str();
}

} // namespace kiln::cpu

#endif // KILN_DIALECT_CPU_SCRATCH_H

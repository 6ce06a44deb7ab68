//===- Attributes.h - Attributes of functions of the cpu family -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_CPU_ATTRIBUTES_H
#define KILN_DIALECT_CPU_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace kiln::cpu {

/// On a function: bytes of scratch memory that a call gets (i64).
inline constexpr llvm::StringLiteral kScratchBytesAttr = "cpu.scratch_bytes";

} // namespace kiln::cpu

#endif // KILN_DIALECT_CPU_ATTRIBUTES_H

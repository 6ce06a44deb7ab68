//===- Attributes.h - Attributes of functions of the cpu family -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_CPU_ATTRIBUTES_H
#define KILN_DIALECT_CPU_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace kiln::cpu {

/// On a function: bytes of scratch memory that a call gets (i64).
inline constexpr llvm::StringLiteral kScratchBytesAttr = "cpu.scratch_bytes";
/// On a function: the types of 16 bits that the machine converts to and from f32
/// by an instruction (array of types).
inline constexpr llvm::StringLiteral kConvertsAttr = "cpu.converts";
/// On a function: the only length of vectors, in bits, that the machine loads
/// and stores under a mask (i64); 0: of none.
inline constexpr llvm::StringLiteral kMaskedBitsAttr = "cpu.masked_bits";

} // namespace kiln::cpu

#endif // KILN_DIALECT_CPU_ATTRIBUTES_H

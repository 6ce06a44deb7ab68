//===- Attributes.h - Attributes of functions of the cpu family -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_CPU_ATTRIBUTES_H
#define KILN_DIALECT_CPU_ATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace kiln::cpu {

/// On a function: bytes of scratch memory that a call gets (i64).
inline constexpr llvm::StringLiteral kScratchBytesAttr = "cpu.scratch_bytes";
/// On a function, where the machine converts f16 by an instruction (unit).
inline constexpr llvm::StringLiteral kConvertsF16Attr = "cpu.converts_f16";
/// The same of bf16.
inline constexpr llvm::StringLiteral kConvertsBF16Attr = "cpu.converts_bf16";
/// On a function: the only length of vectors, in bits, that the machine loads
/// and stores under a mask (i64); 0: of none.
inline constexpr llvm::StringLiteral kMaskedBitsAttr = "cpu.masked_bits";

} // namespace kiln::cpu

#endif // KILN_DIALECT_CPU_ATTRIBUTES_H

//===- ProgramDialect.h - The program dialect -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_PROGRAM_PROGRAMDIALECT_H
#define KILN_DIALECT_PROGRAM_PROGRAMDIALECT_H

#include "mlir/IR/Dialect.h"
#include "llvm/ADT/StringRef.h"

#include "kiln/Dialect/Program/ProgramBase.h.inc"

namespace kiln::program {

/// Function attributes that program-plan-memory sets: the size of the arena and
/// the sum of the sizes of the buffers that share it.
inline constexpr llvm::StringLiteral kArenaBytesAttr = "program.arena_bytes";
inline constexpr llvm::StringLiteral kTensorBytesAttr = "program.tensor_bytes";

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_PROGRAMDIALECT_H

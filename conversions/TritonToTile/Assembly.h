// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline assembly that other operations express, translated by meaning.
#ifndef KILN_CONVERSIONS_TRITONTOTILE_ASSEMBLY_H
#define KILN_CONVERSIONS_TRITONTOTILE_ASSEMBLY_H

#include "mlir/IR/Builders.h"

namespace kiln::triton_to_tile {

/// The values that the text gives for one element of each operand, as `arith`
/// and `math` operations on whole tiles; nothing where it holds an instruction
/// or an operand that is not known here.
std::optional<llvm::SmallVector<mlir::Value>>
translateAssembly(mlir::OpBuilder &builder, mlir::Location loc,
                  llvm::StringRef text, llvm::StringRef constraints,
                  mlir::ValueRange operands, mlir::TypeRange results);

} // namespace kiln::triton_to_tile

#endif // KILN_CONVERSIONS_TRITONTOTILE_ASSEMBLY_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions to bf16.
#ifndef KILN_TARGETS_AMD_BRAINFLOATS_H
#define KILN_TARGETS_AMD_BRAINFLOATS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::amd {

/// Replaces a conversion of f32 to the nearest even bf16 by arithmetic on its
/// bits. Of results of arithmetic it takes one instruction less than LLVM's.
void narrowToBrainFloat(mlir::arith::TruncFOp op, mlir::OpBuilder &b);

/// Has the conversion of an integer of 32 or 64 bits to bf16 rounded once.
/// LLVM goes through f32, and rounds twice. `op` converts with or without sign.
void roundOnce(mlir::Operation *op, mlir::OpBuilder &b);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_BRAINFLOATS_H

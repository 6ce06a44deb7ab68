// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that go on for as long as data says. Private to the conversions of
// functions on tensors.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_DATALOOP_H
#define KILN_CONVERSIONS_TENSORTOPRIM_DATALOOP_H

#include "Translator.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::tensor_to_prim {

/// A loop of prim with the induction variable as a tensor.
llvm::LogicalResult loopOverData(mlir::scf::ForOp op, Translator &e);

/// A loop of prim from what stands for the arguments of `test` on. `test` gives
/// the condition, and what goes on from there, unless that is what it was given
/// (`keepsArguments`).
llvm::LogicalResult loopWhileData(mlir::Operation *op, mlir::Block &test,
                                  mlir::Block &body, bool keepsArguments,
                                  Translator &e);

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_DATALOOP_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluation of prim by families of operations, and what they share.
// Private to this folder.
#ifndef KILN_DIALECTS_PRIM_EVAL_FAMILIES_H
#define KILN_DIALECTS_PRIM_EVAL_FAMILIES_H

#include "Marking.h"

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Evaluator.h"

namespace kiln::eval {

void addPrimElementwise(PrimTable &table);
void addPrimFunctions(PrimTable &table);
void addPrimSpecial(PrimTable &table);
void addPrimRandom(PrimTable &table);
void addPrimReal(PrimTable &table);
void addPrimCompare(PrimTable &table);
void addPrimConvert(PrimTable &table);
void addPrimMovement(PrimTable &table);
void addPrimCreation(PrimTable &table);
void addPrimReduction(PrimTable &table);
void addPrimGather(PrimTable &table);
void addPrimMatMul(PrimTable &table);
void addPrimConv(PrimTable &table);
void addPrimPooling(PrimTable &table);
void addPrimComposite(PrimTable &table);
void addPrimAttention(PrimTable &table);
void addPrimGroup(PrimTable &table);
void addPrimControl(PrimTable &table);
void addPrimDynamic(PrimTable &table);
void addPrimScatter(PrimTable &table);
void addPrimScan(PrimTable &table);
void addPrimSort(PrimTable &table);
void addPrimCombine(PrimTable &table);

/// Checks that all values have one shape.
mlir::LogicalResult sameShape(mlir::Operation *op,
                              llvm::ArrayRef<Value> values);

/// Sets the only result, after checking its shape against the type.
mlir::LogicalResult finish(mlir::Operation *op, Frame &frame, Value value);

/// An uninitialised result with the shape that the type and `sizes` give;
/// an error if a size is negative or does not fit.
mlir::FailureOr<Value> makeResult(mlir::Operation *op,
                                  llvm::ArrayRef<int64_t> shape);

/// The shape of a result type whose `?` are given in order.
llvm::SmallVector<int64_t> shapeOf(mlir::Type type,
                                   llvm::ArrayRef<int64_t> sizes);

/// All elements as doubles, in row-major order.
std::vector<double> toDoubles(const Value &value);
/// Rounds once.
void fromDoubles(llvm::ArrayRef<double> from, Value &value);

/// The same numbers without their signs, in f64, with 0 for infinities.
Value magnitudes(const Value &value);
/// The same numbers without their signs, with 0 for subnormal ones of its type.
Value normalMagnitudes(const Value &value);

/// The sizes of f32 operands that are rounded to the 10 bits of fraction of
/// tf32: those that may become infinite are, infinities are left out.
Value tf32Sizes(const Value &value);
/// What may be left of those operands: nothing of numbers below the least of
/// tf32.
Value tf32Rest(const Value &value);
/// Makes the sizes of sums NaN of which a term may be infinity times what tf32
/// rounds to zero. `rest`: the sums of what may be left.
void markLostTerms(const Value &rest, Value &sizes);

/// Half a unit of what a composite of this type is computed in.
double unitOf(DType dtype);
/// Half a unit of an element type that targets may round to; 0 of wide ones.
double roundingOf(DType dtype);

/// exp(x) / sum(exp(x)) in place, over rows of `n` elements.
void softmaxRows(std::vector<double> &data, int64_t n);

} // namespace kiln::eval

#endif // KILN_DIALECTS_PRIM_EVAL_FAMILIES_H

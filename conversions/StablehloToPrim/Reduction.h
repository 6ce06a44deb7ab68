// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operations with functions of elements share. Private to the conversion.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_REDUCTION_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_REDUCTION_H

#include "Rules.h"

#include "mlir/IR/IRMapping.h"

namespace kiln::stablehlo_to_prim {

/// Whether a value is known to change nothing.
bool isNeutral(Combiner combiner, mlir::Value init, bool isUnsigned,
               Translator &e);
/// Two tensors of signed numbers, combined.
mlir::Value combine(Combiner combiner, mlir::Value a, mlir::Value b,
                    Translator &e);
/// Integers with the other top bit: as signed they are in the order of the
/// unsigned ones.
mlir::Value flipTop(mlir::Value x, Translator &e);
/// The bits of a float as an integer in the total order of IEEE 754; and bits
/// as such an integer, or back.
mlir::Value totalOrder(mlir::Operation *op, mlir::Value x, Translator &e);
mlir::Value orderedBits(mlir::Value bits, Translator &e);

/// The largest or smallest elements of a dimension and where they are, as a
/// call of the source asks for them: it may miss some, and none is.
llvm::LogicalResult approximateTopK(stablehlo::CustomCallOp op, Translator &e);

/// A window of computed sizes, as a call of the source gives it: one that grows
/// along a dimension.
llvm::LogicalResult dynamicReduceWindow(stablehlo::CustomCallOp op,
                                        Translator &e);

/// An operation of prim that combines `operands`, from `inits` on, by a region
/// of the source.
llvm::FailureOr<mlir::Operation *>
makeCombining(mlir::Operation *op, llvm::StringRef name,
              llvm::ArrayRef<mlir::Value> operands,
              llvm::ArrayRef<mlir::Value> inits, mlir::TypeRange results,
              llvm::ArrayRef<mlir::NamedAttribute> attributes,
              mlir::Region &body, Translator &e);

/// Translates a reduction of several tensors as one of each, if their numbers
/// are combined separately, and an init is not neutral: prim leaves open how
/// often an init is combined. False if there is no need, or no way.
llvm::FailureOr<bool> splitByInits(mlir::Operation *op, Translator &e);

/// A value of a region of `before`, computed for whole tensors: `arrays` says
/// what stands for the arguments. Its operations are put before `before`, and
/// translated. Null if it cannot be.
mlir::Value vectorize(mlir::Value scalar, const mlir::IRMapping &arrays,
                      mlir::RankedTensorType shape, mlir::Operation *before,
                      Translator &e);

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_REDUCTION_H

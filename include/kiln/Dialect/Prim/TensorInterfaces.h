//===- TensorInterfaces.h - What operations do to tensors -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes on whole tensors know of an operation. Those of `prim` implement
// these interfaces, and so can those of a plug-in: their reductions get kernels
// as those of `prim` do. Windows and elementwise operations only get kernels if
// they are of `prim`. Movements are in kiln/Interfaces/Movement.h.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PRIM_TENSORINTERFACES_H
#define KILN_DIALECT_PRIM_TENSORINTERFACES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include <cstdint>
#include <optional>

namespace kiln::prim {

/// What a reduction computes.
enum class ReductionFunction : uint8_t {
  Sum,
  Product,
  Maximum,
  Minimum,
  PlaceOfMaximum
};

/// Functions of elements that passes recognise.
enum class ElementFunction : uint8_t {
  Other,
  Add,
  Subtract,
  Multiply,
  Exponential,
  Select,
  And,
  Or,
  Not,
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual
};

} // namespace kiln::prim

#include "kiln/Dialect/Prim/TensorInterfaces.h.inc"

namespace kiln::prim {

/// Returns the function that an operation computes for each element; null and
/// operations that state none give `Other`.
inline ElementFunction getElementFunction(mlir::Operation *op) {
  auto function = llvm::dyn_cast_if_present<ElementFunctionOpInterface>(op);
  return function ? function.getElementFunction() : ElementFunction::Other;
}

/// Returns the operation that computes `value` if its function is `function`,
/// else null.
inline mlir::Operation *getDefinition(mlir::Value value,
                                      ElementFunction function) {
  mlir::Operation *op = value.getDefiningOp();
  return getElementFunction(op) == function ? op : nullptr;
}

/// Returns an operation as a reduction if it computes `function`, else null.
inline TensorReductionOpInterface asReduction(mlir::Operation *op,
                                              ReductionFunction function) {
  auto reduction = llvm::dyn_cast_if_present<TensorReductionOpInterface>(op);
  return reduction && reduction.getReductionFunction() == function
             ? reduction
             : TensorReductionOpInterface();
}

/// Returns whether a target has claimed a group around an operation.
inline bool isClaimed(mlir::Operation *op) {
  auto group = op->getParentOfType<GroupOpInterface>();
  while (group && !group.isClaim())
    group = group->getParentOfType<GroupOpInterface>();
  return static_cast<bool>(group);
}

} // namespace kiln::prim

#endif // KILN_DIALECT_PRIM_TENSORINTERFACES_H

//===- IndexMap.h - Which elements make a result element --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#ifndef KILN_INTERFACES_INDEXMAP_H
#define KILN_INTERFACES_INDEXMAP_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace kiln {

/// Where an operand is read for an element of a result.
struct OperandRead {
  /// (result coordinates, summed coordinates)[symbols] -> operand coordinates;
  /// null: any element may be read.
  mlir::AffineMap map;
  /// For which coordinates the operand is read; null: for all.
  mlir::IntegerSet domain;

  explicit operator bool() const { return static_cast<bool>(map); }
};

} // namespace kiln

#include "kiln/Interfaces/IndexMap.h.inc"

namespace kiln {

/// Where `operand` is read for an element of result number `result`: by the
/// interface, or at the same coordinates for elementwise operations. Without a
/// map for anything else, and for operands that are no ranked tensors.
OperandRead getOperandRead(mlir::OpOperand &operand, unsigned result = 0);

/// True if `map` takes each of its results from a dimension of its own, plus
/// something that does not depend on dimensions, or from no dimension at all:
/// an element, a row or a vector of the result is one of the operand.
bool isElementToElement(mlir::AffineMap map);

/// The dimension that an expression is, plus what depends on no dimension; -1
/// if it depends on none, nothing if it is anything else.
std::optional<int> getMovedDim(mlir::AffineExpr expr);

/// The scalar that fills the tile that `op` makes, or null.
mlir::Value getFillValue(mlir::Operation *op);

/// The dimension whose coordinate is the element of the tile that `op` makes,
/// as in an iota.
std::optional<unsigned> getCountedDim(mlir::Operation *op);

/// True if a tile of `op` has no elements of its own: it is made from scalars
/// and coordinates, or is a constant with one value, and may get any shape.
bool isShapeless(mlir::Operation *op);

/// True if `op` has one tile operand and hands its elements on as they are.
bool handsOnElements(mlir::Operation *op);

/// The map of a row-major reshape. Dimensions that stay (whether or not ones of
/// size 1 come and go between them) are dimensions in the map.
mlir::AffineMap getReshapeMap(mlir::MLIRContext *context,
                              llvm::ArrayRef<int64_t> source,
                              llvm::ArrayRef<int64_t> result);

} // namespace kiln

#endif // KILN_INTERFACES_INDEXMAP_H

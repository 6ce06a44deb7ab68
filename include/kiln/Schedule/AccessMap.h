//===- AccessMap.h - How a value is read in an iteration space --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of operations is computed over an iteration space: a list of
// dimensions, each from 0 to its size. An access map says which element of a
// value belongs to a point of that space. Movement operations (broadcast,
// reshape, transpose, slice, reverse, pad, cat) only change the map.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_ACCESSMAP_H
#define KILN_SCHEDULE_ACCESSMAP_H

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Index/Math.h"
#include "llvm/ADT/SmallBitVector.h"
#include <functional>

namespace kiln::schedule {

/// A size, stride or offset: an expression without dimensions.
using Extent = index::Expr;
/// A function of the iteration dimensions: the index of dimension d is d.
using IndexExpr = index::Expr;

/// Restricts an access to the points where lo <= dim < hi.
struct IndexRange {
  int dim;
  Extent lo, hi;
  bool operator==(const IndexRange &o) const {
    return dim == o.dim && lo == o.lo && hi == o.hi;
  }
};

/// One index expression per dimension of a value, and where they hold.
struct AccessMap {
  llvm::SmallVector<IndexExpr, 4> index;
  llvm::SmallVector<IndexRange, 1> ranges;

  /// The iteration dimensions that the element depends on.
  llvm::SmallBitVector support(unsigned numDims) const;
  const IndexRange *rangeOf(int dim) const;
  bool operator==(const AccessMap &o) const {
    return index == o.index && ranges == o.ranges;
  }
};

/// A wish to iterate over dimension `dim` as two: an outer one and an inner one
/// of size `inner`.
struct Refinement {
  int dim;
  int64_t inner;
};

/// Gives the size of a dimension of a value.
using DimFn = std::function<Extent(mlir::Value, unsigned)>;

/// What the functions below need to know about an iteration space.
struct MapContext {
  index::Math &math;
  llvm::ArrayRef<Extent> sizes; ///< of the iteration dimensions
  DimFn dimOf;
  /// Set when a map would exist in a finer space.
  std::optional<Refinement> refinement;
};

/// True for operations that only change access maps.
bool isMovement(mlir::Operation *op);
/// Movements that are a strided view of their operand if that is a buffer.
bool isViewMovement(mlir::Operation *op);

/// The map of operand `number` of the movement `op` whose result is accessed by
/// `map`. Fails where no affine map exists.
mlir::LogicalResult moveMap(mlir::Operation *op, unsigned number,
                            const AccessMap &map, MapContext &ctx,
                            AccessMap &result);

/// True if it is known that no element of operand `number` of a `prim.pad` or
/// `prim.cat` is read where the result is accessed by `map`.
bool readsNothing(mlir::Operation *op, unsigned number, const AccessMap &map,
                  MapContext &ctx);

/// The map of the result of a reshape or transpose whose operand is accessed by
/// `map`.
mlir::LogicalResult moveMapForward(mlir::Operation *op, const AccessMap &map,
                                   MapContext &ctx, AccessMap &result);

/// Maps of a value of sizes `to` that is accessed by `from` of sizes
/// `fromSizes` after a row-major reshape.
mlir::LogicalResult reshapeMap(llvm::ArrayRef<IndexExpr> from,
                               llvm::ArrayRef<Extent> fromSizes,
                               llvm::ArrayRef<Extent> to, MapContext &ctx,
                               llvm::SmallVectorImpl<IndexExpr> &result);

/// Restricts `map` to where low <= expr < low + size; fails unless `expr` has
/// at most one dimension with a known coefficient.
mlir::LogicalResult restrictMap(AccessMap &map, const IndexExpr &expr,
                                Extent low, Extent size, MapContext &ctx);

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_ACCESSMAP_H

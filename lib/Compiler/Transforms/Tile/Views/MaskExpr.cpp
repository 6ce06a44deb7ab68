//===- MaskExpr.cpp - Masks as bounds of dimensions -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointerExpr.h"
#include "TileSource.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include <set>

using namespace mlir;
using namespace kiln::tile;

namespace {
/// Splits a mask into conjuncts and reads each as a bound.
class MaskDecomposer {
public:
  MaskDecomposer(ScalarBuilder &scalars, LaunchBounds &bounds, int64_t rank,
                 std::string &reason)
      : scalars(scalars), bounds(bounds), reason(reason) {
    mask.dims.resize(rank);
  }

  LogicalResult visit(Value value) {
    return visit(value, llvm::to_vector(llvm::seq<int64_t>(mask.dims.size())));
  }

  MaskExpr mask;

private:
  /// `dims` says which dimension of the mask each of the value's is.
  LogicalResult visit(Value value, SmallVector<int64_t> dims) {
    // What bounds a mask twice bounds it once.
    if (!visited.insert({value.getAsOpaquePointer(), dims}).second)
      return success();
    Operation *op = value.getDefiningOp();
    if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
      return failure(failed(visit(both.getLhs(), dims)) ||
                     failed(visit(both.getRhs(), dims)));
    if (Value scalar = getSplatScalar(scalars.builder, value)) {
      addCondition(scalar);
      return success();
    }
    if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
      if (succeeded(visitCompare(compare, dims)))
        return success();
    // A dimension of the mask is broadcast to the tile's, or a vector of bounds
    // is put along a dimension.
    if (std::optional<TileSource> source = findTileSource(op))
      return visit(source->value,
                   llvm::map_to_vector(source->dims,
                                       [&](int64_t d) { return dims[d]; }));
    return visitVector(value, dims);
  }

  void addCondition(Value scalar) {
    mask.condition = mask.condition
                         ? arith::AndIOp::create(scalars.builder, scalars.loc,
                                                 mask.condition, scalar)
                               .getResult()
                         : scalar;
  }

  /// lhs - rhs = a + c * i along one dimension, compared with zero.
  LogicalResult visitCompare(arith::CmpIOp op, ArrayRef<int64_t> dims) {
    std::string ignored;
    FailureOr<PointerExpr> lhs =
        decompose(scalars, bounds, op.getLhs(), ignored);
    if (failed(lhs) || lhs->base)
      return failure();
    FailureOr<PointerExpr> rhs =
        decompose(scalars, bounds, op.getRhs(), ignored);
    if (failed(rhs) || rhs->base)
      return failure();
    int64_t dim = -1, factor = 0;
    auto shape = cast<RankedTensorType>(op.getLhs().getType()).getShape();
    for (size_t d = 0; d < lhs->strides.size(); ++d) {
      if (lhs->indirect[d] || rhs->indirect[d])
        return failure();
      if (shape[d] == 1)
        continue; // what is broadcast has one index only
      auto a = getConstantIntValue(lhs->strides[d]);
      auto b = getConstantIntValue(rhs->strides[d]);
      if (!a || !b)
        return failure();
      if (*a == *b)
        continue;
      if (dim != -1)
        return failure();
      dim = d;
      factor = *a - *b;
    }
    IndexScalar start = scalars.sub(lhs->offset, rhs->offset);
    if (dim == -1)
      return failure(); // the same everywhere, but not visibly a splat
    bool strict, less;
    switch (op.getPredicate()) {
    case arith::CmpIPredicate::slt:
      strict = less = true;
      break;
    case arith::CmpIPredicate::sle:
      strict = false, less = true;
      break;
    case arith::CmpIPredicate::sgt:
      strict = true, less = false;
      break;
    case arith::CmpIPredicate::sge:
      strict = less = false;
      break;
    default:
      return failure();
    }
    // start + factor * i < 0, after turning the comparison around.
    IndexScalar zero = scalars.constant(0);
    if (!less) {
      start = scalars.sub(zero, start);
      factor = -factor;
    }
    if (!strict)
      start = scalars.sub(start, scalars.constant(1));
    MaskExpr::Dim &bound = mask.dims[dims[dim]];
    if (factor > 0) {
      // i < ceil(-start / factor)
      IndexScalar high =
          scalars.ceilDiv(scalars.sub(zero, start), scalars.constant(factor));
      bound.high = bound.high ? scalars.min(bound.high, high) : high;
      return success();
    }
    // i > start / -factor, that is i >= floor(start / -factor) + 1
    //                              = ceil((start + 1) / -factor)
    IndexScalar low = scalars.ceilDiv(scalars.add(start, scalars.constant(1)),
                                      scalars.constant(-factor));
    bound.low = bound.low ? scalars.max(bound.low, low) : low;
    return success();
  }

  /// Conditions along the only large dimension, or on everything.
  LogicalResult visitVector(Value value, ArrayRef<int64_t> dims) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t dim = -1;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.getDimSize(d) != 1) {
        if (dim != -1) {
          reason = "a mask that is not made of bounds";
          return failure();
        }
        dim = d;
      }
    if (dim == -1) {
      Value zero =
          arith::ConstantIndexOp::create(scalars.builder, scalars.loc, 0);
      addCondition(
          tensor::ExtractOp::create(scalars.builder, scalars.loc, value,
                                    SmallVector<Value>(type.getRank(), zero)));
      return success();
    }
    Value vector = toVector(scalars.builder, scalars.loc, value);
    MaskExpr::Dim &bound = mask.dims[dims[dim]];
    bound.vector = bound.vector
                       ? arith::AndIOp::create(scalars.builder, scalars.loc,
                                               bound.vector, vector)
                             .getResult()
                       : vector;
    return success();
  }

  ScalarBuilder &scalars;
  LaunchBounds &bounds;
  std::string &reason;
  std::set<std::pair<void *, SmallVector<int64_t>>> visited;
};
} // namespace

FailureOr<MaskExpr> kiln::tile::decomposeMask(ScalarBuilder &scalars,
                                              LaunchBounds &bounds, Value mask,
                                              int64_t rank,
                                              std::string &reason) {
  MaskDecomposer decomposer(scalars, bounds, rank, reason);
  if (mask && failed(decomposer.visit(mask)))
    return failure();
  return decomposer.mask;
}

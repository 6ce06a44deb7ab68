//===- RecoverViews.cpp - Pointer arithmetic becomes views ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointerExpr.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/Pass.h"

#include <limits>

namespace kiln::tile {
#define GEN_PASS_DEF_TILERECOVERVIEWS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln::tile;

namespace {
/// A size that no index reaches.
constexpr int64_t unbounded = std::numeric_limits<int64_t>::max() / 4;
/// How many elements before the pointer a gathered view begins: more than an
/// address space holds, so that no index of a valid element is negative.
constexpr int64_t lead = int64_t(1) << 48;

/// A view of what an access touches, and how to read it.
struct Access {
  Value view;
  SmallVector<Value> offsets; ///< element offsets of the direct dimensions
  int64_t indirectDim = -1;
  Value indices;
};

/// Turns one access through pointers into one through a view.
class Recoverer {
public:
  Recoverer(Operation *op, Value ptr, Value mask)
      : builder(op), scalars(builder, op->getLoc()), ptr(ptr), mask(mask),
        type(cast<RankedTensorType>(ptr.getType())) {}

  FailureOr<Access> run() {
    FailureOr<PointerExpr> expr = decompose(scalars, ptr, reason);
    if (failed(expr))
      return failure();
    if (!expr->base) {
      reason = "pointers without a common base";
      return failure();
    }
    FailureOr<MaskExpr> bounds =
        decomposeMask(scalars, mask, type.getRank(), reason);
    if (failed(bounds))
      return failure();
    return build(*expr, *bounds);
  }

  std::string reason;
  OpBuilder builder;

private:
  FailureOr<Access> build(PointerExpr &expr, MaskExpr &bounds) {
    Access access;
    // Conditions along a dimension go into the indices of an indirect one.
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!expr.indirect[d] && !bounds.dims[d].vector)
        continue;
      if (access.indirectDim != -1) {
        reason = "more than one indirect dimension";
        return failure();
      }
      access.indirectDim = d;
    }
    int64_t rank = type.getRank();
    SmallVector<int64_t> shape(rank), strides(rank);
    SmallVector<Value> sizeOperands, strideOperands;
    IndexScalar start = expr.offset;
    for (int64_t d = 0; d < rank; ++d) {
      IndexScalar size = scalars.constant(type.getDimSize(d));
      IndexScalar stride = expr.strides[d];
      if (d == access.indirectDim) {
        access.indices = makeIndices(expr, bounds.dims[d], d);
        size = scalars.constant(unbounded);
        stride = scalars.constant(1);
        start = scalars.sub(start, scalars.constant(lead));
      } else {
        const MaskExpr::Dim &bound = bounds.dims[d];
        IndexScalar low = bound.low
                              ? scalars.max(bound.low, scalars.constant(0))
                              : scalars.constant(0);
        if (bound.high)
          size = scalars.min(size, bound.high);
        size = scalars.sub(size, low);
        start = scalars.add(start, scalars.mul(low, stride));
        access.offsets.push_back(
            scalars.materialize(scalars.sub(scalars.constant(0), low)));
      }
      if (d == conditionDim(access.indirectDim, rank) && bounds.condition)
        size = scalars.select(bounds.condition, size, scalars.constant(0));
      if (auto known = getConstantIntValue(size)) {
        shape[d] = std::max<int64_t>(*known, 0);
      } else {
        shape[d] = ShapedType::kDynamic;
        sizeOperands.push_back(
            scalars.materialize(scalars.max(size, scalars.constant(0))));
      }
      if (auto known = getConstantIntValue(stride)) {
        strides[d] = *known;
      } else {
        strides[d] = ShapedType::kDynamic;
        strideOperands.push_back(scalars.materialize(stride));
      }
    }
    Location loc = scalars.loc;
    Value base = expr.base;
    if (!isConstantIntValue(start, 0))
      base = PtrAddOp::create(builder, loc, base.getType(), base,
                              scalars.materialize(start));
    auto viewType =
        ViewType::get(builder.getContext(), shape,
                      cast<PtrType>(base.getType()).getElementType(), strides);
    access.view = MakeViewOp::create(builder, loc, viewType, base, sizeOperands,
                                     strideOperands);
    return access;
  }

  /// The dimension whose size carries the condition on everything.
  static int64_t conditionDim(int64_t indirectDim, int64_t rank) {
    return indirectDim == 0 && rank > 1 ? 1 : 0;
  }

  /// lead + indirect + stride * i, or -1 where the mask is off.
  Value makeIndices(const PointerExpr &expr, const MaskExpr::Dim &bound,
                    int64_t d) {
    Location loc = scalars.loc;
    auto vectorType =
        RankedTensorType::get({type.getDimSize(d)}, builder.getI64Type());
    auto splat = [&](IndexScalar scalar) -> Value {
      Value integer = arith::IndexCastOp::create(
          builder, loc, builder.getI64Type(), scalars.materialize(scalar));
      return SplatOp::create(builder, loc, vectorType, integer);
    };
    Value iota = IotaOp::create(builder, loc, vectorType, 0);
    Value indices;
    if (Value vector = expr.indirect[d])
      indices = widen(vector, vectorType);
    if (!isConstantIntValue(expr.strides[d], 0)) {
      Value affine =
          arith::MulIOp::create(builder, loc, iota, splat(expr.strides[d]));
      indices =
          indices
              ? arith::AddIOp::create(builder, loc, indices, affine).getResult()
              : affine;
    }
    // An index may lead before the pointer; the view begins below all of them.
    Value first = splat(scalars.constant(lead));
    indices =
        indices
            ? arith::AddIOp::create(builder, loc, indices, first).getResult()
            : first;
    Value valid = bound.vector;
    auto require = [&](arith::CmpIPredicate predicate, IndexScalar limit) {
      Value holds =
          arith::CmpIOp::create(builder, loc, predicate, iota, splat(limit));
      valid =
          valid ? arith::AndIOp::create(builder, loc, valid, holds).getResult()
                : holds;
    };
    if (bound.high)
      require(arith::CmpIPredicate::slt, bound.high);
    if (bound.low)
      require(arith::CmpIPredicate::sge, bound.low);
    if (!valid)
      return indices;
    return arith::SelectOp::create(builder, loc, valid, indices,
                                   splat(scalars.constant(-1)));
  }

  Value widen(Value vector, RankedTensorType wide) {
    auto from = cast<RankedTensorType>(vector.getType());
    if (from == wide)
      return vector;
    if (isa<IndexType>(from.getElementType()))
      return arith::IndexCastOp::create(builder, scalars.loc, wide, vector);
    return arith::ExtSIOp::create(builder, scalars.loc, wide, vector);
  }

  ScalarBuilder scalars;
  Value ptr, mask;
  RankedTensorType type;
};

struct TileRecoverViews
    : kiln::tile::impl::TileRecoverViewsBase<TileRecoverViews> {
  using TileRecoverViewsBase::TileRecoverViewsBase;

  void runOnOperation() override {
    closeInductions(getOperation());
    SmallVector<Operation *> accesses;
    getOperation()->walk([&](Operation *op) {
      if (isa<LoadPtrOp, StorePtrOp>(op) &&
          isa<RankedTensorType>(op->getOperand(0).getType()))
        accesses.push_back(op);
    });
    for (Operation *op : accesses) {
      if (auto load = dyn_cast<LoadPtrOp>(op))
        recover(load);
      else
        recover(cast<StorePtrOp>(op));
    }
  }

private:
  void say(Operation *op, StringRef kind, StringRef reason = "") {
    if (kind == "view")
      ++numViews;
    else if (kind == "gather")
      ++numGathers;
    else if (kind == "scatter")
      ++numScatters;
    else
      ++numPointers;
    if (!report)
      return;
    InFlightDiagnostic remark = op->emitRemark() << kind;
    if (!reason.empty())
      remark << ": " << reason;
  }

  void recover(LoadPtrOp op) {
    if (op.getIsVolatile())
      return say(op, "pointers", "volatile");
    OpBuilder before(op);
    Value pad;
    if (op.getOther()) {
      pad = getSplatScalar(before, op.getOther());
      if (!pad)
        return say(op, "pointers", "another value for each disabled lane");
    }
    Recoverer recoverer(op, op.getPtr(), op.getMask());
    FailureOr<Access> access = recoverer.run();
    if (failed(access))
      return say(op, "pointers", recoverer.reason);
    OpBuilder &builder = recoverer.builder;
    Padding padding = pad ? Padding::value : Padding::any;
    Type type = op.getResult().getType();
    Value loaded;
    if (access->indirectDim == -1) {
      loaded = LoadOp::create(builder, op.getLoc(), type, access->view,
                              access->offsets, pad, /*element_offsets=*/true,
                              padding, DenseI64ArrayAttr());
      say(op, "view");
    } else {
      loaded = LoadGatherOp::create(builder, op.getLoc(), type, access->view,
                                    access->offsets, access->indices, pad,
                                    access->indirectDim, padding);
      say(op, "gather");
    }
    op.getResult().replaceAllUsesWith(loaded);
    op.erase();
  }

  void recover(StorePtrOp op) {
    Recoverer recoverer(op, op.getPtr(), op.getMask());
    FailureOr<Access> access = recoverer.run();
    if (failed(access))
      return say(op, "pointers", recoverer.reason);
    // Lanes that share an address store in some order; a view would not say so.
    auto view = cast<ViewType>(access->view.getType());
    for (int64_t d = 0; d < view.getRank(); ++d)
      if (d != access->indirectDim && view.getStrides()[d] == 0 &&
          cast<RankedTensorType>(op.getValue().getType()).getDimSize(d) != 1)
        return say(op, "pointers", "a store of several lanes to one address");
    OpBuilder &builder = recoverer.builder;
    if (access->indirectDim == -1) {
      StoreOp::create(builder, op.getLoc(), op.getValue(), access->view,
                      access->offsets, /*element_offsets=*/true,
                      Combine::assign, DenseI64ArrayAttr());
      say(op, "view");
    } else {
      StoreScatterOp::create(builder, op.getLoc(), op.getValue(), access->view,
                             access->offsets, access->indices,
                             access->indirectDim);
      say(op, "scatter");
    }
    op.erase();
  }
};
} // namespace

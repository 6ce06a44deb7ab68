// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands sorts into the permutation that sorts, and gathers by it.
#include "../PrimBuilder.h"
#include "Decompose.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Dimension `dim` comes last; its own inverse.
SmallVector<int64_t> swapLast(int64_t rank, int64_t dim) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[dim], order[rank - 1]);
  return order;
}

/// The elements along `dim` that `order` names, for each point of the others.
Value takeAlong(PrimBuilder &emit, Value operand, Value order, int64_t dim) {
  int64_t rank = typeOf(operand).getRank();
  SmallVector<int64_t> swap = swapLast(rank, dim);
  Value from = emit.transpose(operand, swap);
  Value by = emit.transpose(order, swap);
  auto type = RankedTensorType::get(typeOf(by).getShape(),
                                    typeOf(operand).getElementType());
  Value taken = GatherOp::create(emit.builder, emit.loc, type, from, by,
                                 rank - 1, rank - 1);
  return emit.transpose(taken, swap);
}

/// Keys in the same order, of the type that a conversion widened: integers keep
/// their order when their sign is extended. Keys are as they were if nothing
/// but reshapes follows the conversion.
Value beforeWidening(PrimBuilder &emit, Value key) {
  Value source = key;
  while (auto reshape = source.getDefiningOp<kiln::ReshapeOpInterface>())
    source = reshape.getMoved();
  auto convert = source.getDefiningOp<ElementConversionOpInterface>();
  if (!convert || convert.getFromUnsigned() || convert.getToUnsigned() ||
      !typeOf(key).hasStaticShape())
    return key;
  Value narrow = convert->getOperand(0);
  auto from = dyn_cast<IntegerType>(typeOf(narrow).getElementType()),
       to = dyn_cast<IntegerType>(typeOf(key).getElementType());
  if (!from || !to || from.getWidth() < 8 || from.getWidth() >= to.getWidth())
    return key;
  auto type = typeOf(key).clone(from);
  if (typeOf(narrow) == type)
    return narrow;
  return ReshapeOp::create(emit.builder, emit.loc, type, narrow, ValueRange());
}

/// A permutation in i32.
Value argsort(PrimBuilder &emit, ValueRange keys, int64_t dim, bool descending,
              bool totalOrder, bool isUnsigned) {
  auto type = typeOf(keys.front()).clone(emit.builder.getI32Type());
  // Small floats are in the order of their values.
  auto wide = llvm::map_to_vector(keys, [&](Value key) {
    return isSmallFloat(key.getType())
               ? emit.convert(key, emit.builder.getF32Type())
               : beforeWidening(emit, key);
  });
  return ArgsortOp::create(emit.builder, emit.loc, type, wide, dim, descending,
                           totalOrder, isUnsigned);
}

/// The elements of an operand of a sort in that order, or at some places of it.
Value elementsOf(PrimBuilder &emit, Value operand, Value order, int64_t dim) {
  // Each element of this one is its own place.
  if (auto places = operand.getDefiningOp<CreationOpInterface>();
      places && places.getCountedDim() == dim &&
      typeOf(operand).getElementType().isInteger() &&
      typeOf(operand).getElementTypeBitWidth() >= 32)
    return emit.convert(order, typeOf(operand).getElementType());
  return takeAlong(emit, operand, order, dim);
}

/// Whether a slice takes whatever there is in all dimensions but `dim`.
bool cutsAlong(SliceOp slice, int64_t dim) {
  RankedTensorType type = slice.getOperand().getType();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t limit = slice.getLimits()[d];
    bool isWhole = slice.getStarts()[d] == 0 && slice.getStrides()[d] == 1 &&
                   (limit == -1 || limit == type.getDimSize(d));
    if (d != dim && !isWhole)
      return false;
  }
  return true;
}

/// Whether a gather takes a few elements of each line of its operand, along the
/// last dimension, which is `dim`.
bool takesFew(GatherOp gather, int64_t dim) {
  RankedTensorType from = gather.getOperand().getType(), to = gather.getType();
  int64_t last = from.getRank() - 1;
  return dim == last && to.getRank() == from.getRank() &&
         static_cast<int64_t>(gather.getDim()) == last &&
         static_cast<int64_t>(gather.getBatchDims()) == last &&
         !to.isDynamicDim(last) &&
         (from.isDynamicDim(last) ||
          to.getDimSize(last) <= from.getDimSize(last) / 2);
}

/// Sorts become an order, by which elements are gathered. Slices of the results
/// along the dimension slice the order, and read no other elements; so do
/// gathers of a few elements.
struct DecomposeSort : OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SortOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    int64_t dim = op.getDim();
    Value order =
        argsort(emit, op.getOperands().take_front(op.getKeys()), dim,
                op.getDescending(), op.getTotalOrder(), op.getUnsignedOrder());
    SmallVector<SliceOp> parts;
    for (auto [operand, result] :
         llvm::zip_equal(op.getOperands(), op.getResults()))
      for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
        OpBuilder::InsertionGuard guard(rewriter);
        Value part;
        if (auto slice = dyn_cast<SliceOp>(user);
            slice && cutsAlong(slice, dim)) {
          part = partOf(order, slice, parts, rewriter);
        } else if (auto gather = dyn_cast<GatherOp>(user);
                   gather && gather.getOperand() == result &&
                   gather.getIndices() != result && takesFew(gather, dim)) {
          rewriter.setInsertionPoint(gather);
          auto type = gather.getType().clone(typeOf(order).getElementType());
          part = GatherOp::create(rewriter, op.getLoc(), type, order,
                                  gather.getIndices(), dim, dim);
        } else {
          continue;
        }
        rewriter.replaceOp(user, elementsOf(emit, operand, part, dim));
      }
    SmallVector<Value> results;
    for (auto [operand, result] :
         llvm::zip_equal(op.getOperands(), op.getResults()))
      results.push_back(
          result.use_empty() ? operand : elementsOf(emit, operand, order, dim));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// The part of the order that a slice of a result takes; one for all that
  /// take the same.
  static Value partOf(Value order, SliceOp like,
                      SmallVectorImpl<SliceOp> &parts,
                      PatternRewriter &rewriter) {
    for (SliceOp part : parts)
      if (part.getStarts() == like.getStarts() &&
          part.getLimits() == like.getLimits() &&
          part.getStrides() == like.getStrides())
        return part;
    auto type = RankedTensorType::get(like.getType().getShape(),
                                      typeOf(order).getElementType());
    parts.push_back(SliceOp::create(rewriter, order.getLoc(), type, order,
                                    like.getStarts(), like.getLimits(),
                                    like.getStrides()));
    return parts.back();
  }
};

struct DecomposeTopK : OpRewritePattern<TopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TopKOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    int64_t dim = op.getDim(), rank = op.getOperand().getType().getRank();
    Value order = argsort(emit, op.getOperand(), dim, !op.getSmallest(),
                          /*totalOrder=*/false, op.getUnsignedOrder());
    SmallVector<int64_t> starts(rank, 0), limits(rank, -1), steps(rank, 1);
    limits[dim] = op.getK();
    SmallVector<int64_t> shape(op.getOperand().getType().getShape());
    shape[dim] = op.getK();
    Value best =
        SliceOp::create(rewriter, op.getLoc(),
                        RankedTensorType::get(shape, rewriter.getI32Type()),
                        order, starts, limits, steps);
    Value values = takeAlong(emit, op.getOperand(), best, dim);
    rewriter.replaceOp(
        op, {values,
             emit.convert(best, op.getIndices().getType().getElementType())});
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeSort(RewritePatternSet &patterns,
                                       WantedFn wanted) {
  addWanted<DecomposeSort, SortOp>(patterns, wanted);
  addWanted<DecomposeTopK, TopKOp>(patterns, wanted);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands parts at computed places into gathers and scatters.
#include "../PrimBuilder.h"
#include "Decompose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Computes with indices in i64.
class Indices {
public:
  explicit Indices(PrimBuilder &emit)
      : emit(emit), i64(emit.builder.getI64Type()) {}

  Value number(OpFoldResult size) {
    auto type = RankedTensorType::get({}, i64);
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return ConstantOp::create(
          emit.builder, emit.loc, type,
          DenseElementsAttr::get(type, ArrayRef<int64_t>(*known)));
    return FromIndexOp::create(emit.builder, emit.loc, type, cast<Value>(size));
  }

  /// A number everywhere in the shape of `like`.
  Value everywhere(OpFoldResult size, Value like) {
    return emit.broadcastTo(number(size), like, {});
  }

  /// `start`, clamped to [0, size - part].
  Value clamped(Value start, OpFoldResult size, OpFoldResult part) {
    start = emit.convert(start, i64);
    Value most =
        emit.map<SubOp>(everywhere(size, start), everywhere(part, start));
    Value least = everywhere(emit.builder.getIndexAttr(0), start);
    return emit.map<MaximumOp>(emit.map<MinimumOp>(start, most), least);
  }

  /// 0, 1, ... `size` - 1.
  Value upTo(OpFoldResult size) {
    int64_t known = getConstantIntValue(size).value_or(ShapedType::kDynamic);
    auto type = RankedTensorType::get({known}, i64);
    SmallVector<Value> sizes;
    if (ShapedType::isDynamic(known))
      sizes.push_back(cast<Value>(size));
    return IotaOp::create(emit.builder, emit.loc, type, sizes, 0);
  }

  PrimBuilder &emit;
  Type i64;
};

bool isSame(OpFoldResult a, OpFoldResult b) {
  return a == b || (getConstantIntValue(a) &&
                    getConstantIntValue(a) == getConstantIntValue(b));
}

/// A gather along each dimension in which the result is smaller.
struct DecomposeDynamicSlice : OpRewritePattern<DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Indices indices(emit);
    Value result = op.getOperand();
    SmallVector<OpFoldResult> from = emit.sizes(result);
    auto size = op.getSizes().begin();
    // The dimension that leaves least comes first: less is moved.
    SmallVector<std::pair<int64_t, OpFoldResult>> parts;
    for (auto [d, known] : llvm::enumerate(op.getType().getShape())) {
      OpFoldResult to = ShapedType::isDynamic(known)
                            ? OpFoldResult(*size++)
                            : OpFoldResult(rewriter.getIndexAttr(known));
      if (!isSame(from[d], to))
        parts.push_back({d, to});
    }
    for (auto [d, to] : parts) {
      Value start = indices.clamped(op.getStarts()[d], from[d], to);
      Value line = indices.upTo(to);
      Value index = emit.map<AddOp>(line, emit.broadcastTo(start, line, {}));
      SmallVector<int64_t> shape(typeOf(result).getShape());
      shape[d] = op.getType().getDimSize(d);
      result = GatherOp::create(
          rewriter, op.getLoc(),
          RankedTensorType::get(shape, op.getType().getElementType()), result,
          index, d, 0);
    }
    if (result.getType() != op.getType())
      result = ReshapeOp::create(rewriter, op.getLoc(), op.getType(), result,
                                 op.getSizes());
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A scatter of one window.
struct DecomposeDynamicUpdateSlice : OpRewritePattern<DynamicUpdateSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DynamicUpdateSliceOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Indices indices(emit);
    SmallVector<OpFoldResult> whole = emit.sizes(op.getOperand()),
                              part = emit.sizes(op.getUpdate());
    SmallVector<int64_t> dims;
    SmallVector<Value> starts;
    for (auto [d, start] : llvm::enumerate(op.getStarts())) {
      if (isSame(whole[d], part[d]))
        continue;
      dims.push_back(d);
      starts.push_back(emit.reshape(indices.clamped(start, whole[d], part[d]),
                                    {rewriter.getIndexAttr(1)}));
    }
    if (dims.empty()) {
      rewriter.replaceOp(op, op.getUpdate());
      return success();
    }
    auto type =
        RankedTensorType::get({static_cast<int64_t>(dims.size())}, indices.i64);
    Value place =
        starts.size() == 1
            ? starts.front()
            : CatOp::create(rewriter, op.getLoc(), type, starts, 0).getResult();
    rewriter.replaceOpWithNewOp<ScatterOp>(
        op, op.getType(), ScatterKind::set, op.getOperand(), place,
        op.getUpdate(), dims, 0, /*unique=*/true);
    return success();
  }
};

/// Gathers from the operand as a line, or along one dimension of it.
struct DecomposeGatherSlices : OpRewritePattern<GatherSlicesOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherSlicesOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Indices indices(emit);
    Value operand = op.getOperand();
    int64_t batch = op.getBatchDims(), rank = typeOf(operand).getRank();
    SmallVector<OpFoldResult> whole = emit.sizes(operand),
                              places = emit.sizes(op.getIndices());
    places.pop_back();
    SmallVector<OpFoldResult> shape = places, slice(whole);
    for (int64_t d = batch; d < rank; ++d) {
      if (int64_t size = op.getSliceSizes()[d - batch]; size != -1)
        slice[d] = rewriter.getIndexAttr(size);
      shape.push_back(slice[d]);
    }
    // The dimensions from the first to the last one that is not read whole.
    int64_t first = rank, last = batch - 1;
    for (int64_t d = batch; d < rank; ++d)
      if (!isSame(slice[d], whole[d])) {
        first = std::min(first, d);
        last = d;
      }
    if (first > last)
      first = last = batch;
    // An index into these, for each place and element of the slice in them.
    SmallVector<OpFoldResult> window(slice.begin() + std::min(first, rank),
                                     slice.begin() + std::min(last + 1, rank));
    SmallVector<OpFoldResult> indexShape = places;
    llvm::append_range(indexShape, window);
    Value index =
        linear(op, emit, indices, indexShape, first, last, whole, slice);
    SmallVector<OpFoldResult> flat(whole.begin(),
                                   whole.begin() + std::min(first, rank));
    flat.push_back(emit.product(
        ArrayRef(whole).slice(std::min(first, rank), window.size())));
    flat.append(whole.begin() + std::min(last + 1, rank), whole.end());
    Value line = emit.reshape(operand, flat);
    // [batch, before, index..., after]
    SmallVector<int64_t> gathered(
        typeOf(line).getShape().take_front(std::min(first, rank)));
    llvm::append_range(gathered, typeOf(index).getShape().drop_front(batch));
    llvm::append_range(gathered, typeOf(line).getShape().drop_front(
                                     std::min(first, rank) + 1));
    Value result = GatherOp::create(
        rewriter, op.getLoc(),
        RankedTensorType::get(gathered, op.getType().getElementType()), line,
        index, std::min(first, rank), batch);
    // [batch, places, before, window, after]
    int64_t before = std::min(first, rank) - batch,
            count = places.size() - batch;
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < batch; ++i)
      order.push_back(i);
    for (int64_t i = 0; i < count; ++i)
      order.push_back(batch + before + i);
    for (int64_t i = 0; i < before; ++i)
      order.push_back(batch + i);
    for (int64_t i = order.size(), e = gathered.size(); i < e; ++i)
      order.push_back(i);
    result = emit.transpose(result, order);
    if (result.getType() != op.getType())
      result = ReshapeOp::create(
          rewriter, op.getLoc(), op.getType(), result,
          dynamicSizes(rewriter, op.getLoc(), op.getType(), shape));
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// The row-major number in dimensions `first` to `last` of each element.
  static Value linear(GatherSlicesOp op, PrimBuilder &emit, Indices &indices,
                      ArrayRef<OpFoldResult> shape, int64_t first, int64_t last,
                      ArrayRef<OpFoldResult> whole,
                      ArrayRef<OpFoldResult> slice) {
    auto broadcast = [&](Value value, ArrayRef<int64_t> dims) -> Value {
      SmallVector<int64_t> known;
      SmallVector<Value> sizes;
      for (OpFoldResult size : shape) {
        known.push_back(
            getConstantIntValue(size).value_or(ShapedType::kDynamic));
        if (ShapedType::isDynamic(known.back()))
          sizes.push_back(cast<Value>(size));
      }
      return BroadcastInDimOp::create(emit.builder, emit.loc,
                                      RankedTensorType::get(known, indices.i64),
                                      value, sizes, dims);
    };
    int64_t places = typeOf(op.getIndices()).getRank() - 1;
    auto leading = llvm::to_vector(llvm::seq<int64_t>(0, places));
    Value result;
    for (int64_t d = first; d <= last && d < int64_t(whole.size()); ++d) {
      if (result)
        result =
            emit.map<MulOp>(result, broadcast(indices.number(whole[d]), {}));
      Value at = broadcast(indices.upTo(slice[d]), {places + d - first});
      for (auto [k, dim] : llvm::enumerate(op.getDims()))
        if (dim == d)
          at =
              emit.map<AddOp>(at, broadcast(indices.clamped(column(op, emit, k),
                                                            whole[d], slice[d]),
                                            leading));
      result = result ? emit.map<AddOp>(result, at) : at;
    }
    if (result)
      return result;
    return broadcast(indices.number(emit.builder.getIndexAttr(0)), {});
  }

  /// Coordinate `k` of each place.
  static Value column(GatherSlicesOp op, PrimBuilder &emit, int64_t k) {
    RankedTensorType type = op.getIndices().getType();
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getRank(), -1),
        steps(type.getRank(), 1);
    starts.back() = k;
    limits.back() = k + 1;
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = 1;
    Value part =
        SliceOp::create(emit.builder, emit.loc,
                        RankedTensorType::get(shape, type.getElementType()),
                        op.getIndices(), starts, limits, steps);
    SmallVector<OpFoldResult> sizes = emit.sizes(op.getIndices());
    sizes.pop_back();
    return emit.reshape(part, sizes);
  }
};

/// The index of the largest of the operand in the other order.
struct DecomposeArgmin : OpRewritePattern<ArgminOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ArgminOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Value operand = op.getOperand();
    // The complement of an integer is never out of range.
    Value reversed = isa<FloatType>(typeOf(operand).getElementType())
                         ? emit.map<NegOp>(operand)
                         : emit.map<BitwiseNotOp>(operand);
    rewriter.replaceOpWithNewOp<ArgmaxOp>(op, op.getType(), reversed,
                                          op.getDim(), op.getIgnoreNan());
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeDynamic(RewritePatternSet &patterns,
                                          WantedFn wanted) {
  addWanted<DecomposeDynamicSlice, DynamicSliceOp>(patterns, wanted);
  addWanted<DecomposeDynamicUpdateSlice, DynamicUpdateSliceOp>(patterns,
                                                               wanted);
  addWanted<DecomposeGatherSlices, GatherSlicesOp>(patterns, wanted);
  addWanted<DecomposeArgmin, ArgminOp>(patterns, wanted);
}

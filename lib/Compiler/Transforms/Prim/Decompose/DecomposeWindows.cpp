// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands windows with any combiner into slices that are combined.
#include "../PrimBuilder.h"
#include "Decompose.h"

#include "kiln/Index/ScalarBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// More elements of a window than this are not written out one by one.
constexpr int64_t maxElements = 1024;

/// Windows of more elements than this along a dimension are made of shorter
/// ones, if they move by single elements.
constexpr int64_t mostDirect = 16;

/// A dimension of a window.
struct Along {
  int64_t window, stride, low, high, dilation = 1, holes = 1;

  /// Each element is a window of its own.
  bool isTrivial() const {
    return window == 1 && stride == 1 && low == 0 && high == 0 && holes == 1;
  }
};

/// What a place outside of the operand holds.
class Padder {
public:
  Padder(PrimBuilder &emit, ArrayRef<Along> dims) : emit(emit), dims(dims) {}

  /// The operand with holes and padding of `outside`, a tensor of rank 0.
  Value pad(Value operand, Value outside) {
    for (auto [d, along] : llvm::enumerate(dims))
      operand = padDim(operand, outside, d, along);
    return operand;
  }

private:
  /// `count` times `outside` along dimension `d` of a tensor like `like`.
  Value filled(Value like, Value outside, int64_t d, int64_t count) {
    SmallVector<OpFoldResult> sizes = emit.sizes(like);
    sizes[d] = emit.builder.getIndexAttr(count);
    return spread(outside, sizes);
  }

  Value spread(Value outside, ArrayRef<OpFoldResult> sizes) {
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    for (OpFoldResult size : sizes) {
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
      if (ShapedType::isDynamic(shape.back()))
        dynamic.push_back(cast<Value>(size));
    }
    return BroadcastInDimOp::create(
        emit.builder, emit.loc,
        RankedTensorType::get(shape, typeOf(outside).getElementType()), outside,
        dynamic, ArrayRef<int64_t>());
  }

  Value join(ArrayRef<Value> parts, int64_t d) {
    if (parts.size() == 1)
      return parts.front();
    SmallVector<int64_t> shape(typeOf(parts.front()).getShape());
    shape[d] = 0;
    for (Value part : parts) {
      int64_t size = typeOf(part).getDimSize(d);
      shape[d] = ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[d])
                     ? ShapedType::kDynamic
                     : shape[d] + size;
    }
    return CatOp::create(
        emit.builder, emit.loc,
        RankedTensorType::get(shape, typeOf(parts.front()).getElementType()),
        parts, d);
  }

  /// Without `low` and `high` elements at the ends.
  Value cut(Value operand, int64_t d, int64_t low, int64_t high) {
    RankedTensorType type = typeOf(operand);
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getRank(), -1),
        steps(type.getRank(), 1), shape(type.getShape());
    starts[d] = low;
    if (high) // only static sizes have an end to count from
      limits[d] = shape[d] - high;
    if (!ShapedType::isDynamic(shape[d]))
      shape[d] -= low + high;
    return SliceOp::create(emit.builder, emit.loc, type.clone(shape), operand,
                           starts, limits, steps);
  }

  Value padDim(Value operand, Value outside, int64_t d, const Along &along) {
    if (along.holes > 1) {
      // [n] -> [n, 1] -> [n, holes] -> [n * holes], without the last holes.
      SmallVector<OpFoldResult> sizes = emit.sizes(operand), apart = sizes;
      apart.insert(apart.begin() + d + 1, emit.builder.getIndexAttr(1));
      Value column = emit.reshape(operand, apart);
      Value joined = join(
          {column, filled(column, outside, d + 1, along.holes - 1)}, d + 1);
      sizes[d] =
          emit.product({sizes[d], emit.builder.getIndexAttr(along.holes)});
      operand = emit.reshape(joined, sizes);
      operand = cut(operand, d, 0, along.holes - 1);
    }
    SmallVector<Value> parts;
    if (along.low > 0)
      parts.push_back(filled(operand, outside, d, along.low));
    parts.push_back(operand);
    if (along.low < 0 || along.high < 0)
      parts.back() = cut(operand, d, std::max<int64_t>(-along.low, 0),
                         std::max<int64_t>(-along.high, 0));
    if (along.high > 0)
      parts.push_back(filled(operand, outside, d, along.high));
    return join(parts, d);
  }

  PrimBuilder &emit;
  ArrayRef<Along> dims;
};

/// The part of what was padded that holds the element `at` of every window,
/// along the dimensions whose number of windows is not known.
Value partOf(PrimBuilder &emit, Value padded, ArrayRef<Along> dims,
             ArrayRef<int64_t> at, ArrayRef<OpFoldResult> counts) {
  kiln::index::ScalarBuilder scalars(emit.builder, emit.loc);
  SmallVector<OpFoldResult> sizes = emit.sizes(padded);
  SmallVector<int64_t> shape(typeOf(padded).getShape());
  SmallVector<Value> starts, open;
  for (auto [d, along] : llvm::enumerate(dims)) {
    bool isOpen = !getConstantIntValue(counts[d]) && !along.isTrivial();
    if (isOpen) {
      OpFoldResult last =
          scalars.add(scalars.mul(counts[d], scalars.constant(along.stride)),
                      scalars.constant(1 - along.stride));
      sizes[d] = scalars.max(last, scalars.constant(0));
      shape[d] = ShapedType::kDynamic;
    }
    if (ShapedType::isDynamic(shape[d]))
      open.push_back(scalars.materialize(sizes[d]));
    auto first = RankedTensorType::get({}, emit.builder.getI64Type());
    starts.push_back(ConstantOp::create(
        emit.builder, emit.loc, first,
        DenseElementsAttr::get(first, isOpen ? at[d] * along.dilation : 0)));
  }
  return DynamicSliceOp::create(emit.builder, emit.loc,
                                typeOf(padded).clone(shape), padded, starts,
                                open);
}

/// The element `at` of every window of what was padded. There are `counts`
/// windows along the dimensions, of which types know `shape`.
Value elementsAt(PrimBuilder &emit, Value padded, ArrayRef<Along> dims,
                 ArrayRef<int64_t> at, ArrayRef<OpFoldResult> counts,
                 ArrayRef<int64_t> shape) {
  SmallVector<int64_t> starts, limits, steps;
  bool isOpen = false;
  for (auto [d, along] : llvm::enumerate(dims)) {
    auto count = getConstantIntValue(counts[d]);
    isOpen |= !count && !along.isTrivial();
    starts.push_back(count ? at[d] * along.dilation : 0);
    steps.push_back(along.stride);
    limits.push_back(count ? starts.back() + (*count - 1) * along.stride + 1
                           : -1);
  }
  if (isOpen)
    padded = partOf(emit, padded, dims, at, counts);
  return SliceOp::create(
      emit.builder, emit.loc,
      RankedTensorType::get(shape, typeOf(padded).getElementType()), padded,
      starts, limits, steps);
}

/// Calls `fn` for each element of a window.
template <typename Fn> void forEachElement(ArrayRef<Along> dims, Fn fn) {
  SmallVector<int64_t> at(dims.size(), 0);
  while (true) {
    fn(ArrayRef<int64_t>(at));
    int d = static_cast<int>(dims.size()) - 1;
    for (; d >= 0; --d) {
      if (++at[d] < dims[d].window)
        break;
      at[d] = 0;
    }
    if (d < 0)
      return;
  }
}

/// Whether long windows along a dimension of `size` elements can be made of
/// shorter ones.
bool isDoubled(const Along &along, int64_t size) {
  return along.window > mostDirect && along.stride == 1 &&
         !ShapedType::isDynamic(size);
}

/// Whether windows can be written out.
LogicalResult checkSizes(Operation *op, ArrayRef<Along> dims,
                         RankedTensorType from, bool doubles,
                         PatternRewriter &rewriter) {
  int64_t elements = 1;
  for (auto [along, size] : llvm::zip(dims, from.getShape()))
    if (!(doubles && isDoubled(along, size)) &&
        (elements *= along.window) > maxElements)
      return rewriter.notifyMatchFailure(op, "too many elements in a window");
  for (auto [along, size] : llvm::zip(dims, from.getShape()))
    if (ShapedType::isDynamic(size) && (along.holes != 1 || along.high < 0))
      return rewriter.notifyMatchFailure(op, "cuts the end of an open size");
  return success();
}

/// All elements of the windows, combined.
struct DecomposeReduceWindow : OpRewritePattern<ReduceWindowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceWindowOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Along> dims;
    for (size_t d = 0; d < op.getWindow().size(); ++d)
      dims.push_back({op.getWindow()[d], op.getStrides()[d], op.getPadLow()[d],
                      op.getPadHigh()[d], op.getDilation()[d],
                      op.getInputDilation()[d]});
    RankedTensorType to = typeOf(op.getResult(0));
    if (failed(checkSizes(op, dims, typeOf(op.getInputs().front()),
                          /*doubles=*/true, rewriter)))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    if (llvm::is_contained(to.getShape(), 0)) {
      SmallVector<Value> nothing;
      for (auto [init, result] : llvm::zip(op.getInits(), op.getResults()))
        nothing.push_back(
            BroadcastInDimOp::create(rewriter, op.getLoc(), result.getType(),
                                     init, ValueRange(), ArrayRef<int64_t>()));
      rewriter.replaceOp(op, nothing);
      return success();
    }
    SmallVector<OpFoldResult> counts =
        reifyResultShape(rewriter, op, /*result=*/0);
    SmallVector<Value> padded, sums;
    for (auto [input, init] : llvm::zip(op.getInputs(), op.getInits()))
      padded.push_back(Padder(emit, dims).pad(input, init));
    // From the last dimension on, which keeps the elements in their order.
    ArrayRef<int64_t> from = typeOf(op.getInputs().front()).getShape();
    for (size_t d = dims.size(); d-- > 0;)
      if (isDoubled(dims[d], from[d])) {
        padded = doubled(op, emit, padded, d, dims[d],
                         getConstantIntValue(counts[d]).value());
        dims[d] = {1, 1, 0, 0};
      }
    forEachElement(dims, [&](ArrayRef<int64_t> at) {
      SmallVector<Value> next;
      for (Value input : padded)
        next.push_back(
            elementsAt(emit, input, dims, at, counts, to.getShape()));
      sums = sums.empty() ? next : combine(op, emit, sums, next);
    });
    rewriter.replaceOp(op, sums);
    return success();
  }

private:
  /// `size` elements of each tensor from `start` on along dimension `d`.
  static SmallVector<Value> piece(PrimBuilder &emit, ArrayRef<Value> of,
                                  size_t d, int64_t start, int64_t size) {
    SmallVector<int64_t> shape(typeOf(of.front()).getShape());
    SmallVector<int64_t> starts(shape.size(), 0), limits(shape.size(), -1),
        steps(shape.size(), 1);
    starts[d] = start;
    limits[d] = start + size;
    shape[d] = size;
    return llvm::map_to_vector(of, [&](Value x) -> Value {
      return SliceOp::create(emit.builder, emit.loc, typeOf(x).clone(shape), x,
                             starts, limits, steps);
    });
  }

  /// The windows of one dimension, `count` of them, each made of windows of 1,
  /// 2, 4, 8 ... elements: as many of these as the size of the window has bits.
  static SmallVector<Value> doubled(ReduceWindowOp op, PrimBuilder &emit,
                                    SmallVector<Value> x, size_t d,
                                    const Along &along, int64_t count) {
    SmallVector<Value> result;
    int64_t done = 0;
    for (int64_t size = 1;; size *= 2) {
      if (along.window & size) {
        auto next = piece(emit, x, d, done * along.dilation, count);
        result = result.empty() ? next : combine(op, emit, result, next);
        done += size;
      }
      if (done == along.window)
        return result;
      int64_t step = size * along.dilation;
      int64_t left = typeOf(x.front()).getDimSize(d) - step;
      x = combine(op, emit, piece(emit, x, d, 0, left),
                  piece(emit, x, d, step, left));
    }
  }

  /// The region on tensors of one shape.
  static SmallVector<Value> combine(ReduceWindowOp op, PrimBuilder &emit,
                                    ArrayRef<Value> x, ArrayRef<Value> y) {
    Block &region = op.getCombiner().front();
    IRMapping mapping;
    SmallVector<Value> both(x);
    llvm::append_range(both, y);
    for (auto [argument, value] : llvm::zip(region.getArguments(), both))
      mapping.map(argument, value);
    auto mapped = [&](Value value) {
      if (Value known = mapping.lookupOrNull(value))
        return known;
      // A constant, everywhere.
      Value wide = emit.broadcastTo(value, x.front(), {});
      mapping.map(value, wide);
      return wide;
    };
    for (Operation &inner : region.without_terminator()) {
      if (inner.getNumOperands() == 0) {
        Value constant = emit.builder.clone(inner)->getResult(0);
        mapping.map(inner.getResult(0),
                    emit.broadcastTo(constant, x.front(), {}));
        continue;
      }
      for (Value operand : inner.getOperands())
        mapped(operand);
      Operation *copy = emit.builder.clone(inner, mapping);
      for (Value result : copy->getResults())
        result.setType(
            typeOf(x.front()).clone(typeOf(result).getElementType()));
    }
    SmallVector<Value> results;
    for (Value value : region.getTerminator()->getOperands())
      results.push_back(mapped(value));
    return results;
  }
};

/// Where the first largest element of each window is, and a scatter to there.
struct DecomposeSelectAndScatter : OpRewritePattern<SelectAndScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectAndScatterOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Along> dims;
    for (size_t d = 0; d < op.getWindow().size(); ++d)
      dims.push_back({op.getWindow()[d], op.getStrides()[d], op.getPadLow()[d],
                      op.getPadHigh()[d]});
    RankedTensorType from = op.getType(), to = op.getSource().getType();
    if (failed(checkSizes(op, dims, from, /*doubles=*/false, rewriter)))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    if (llvm::is_contained(to.getShape(), 0)) {
      rewriter.replaceOp(op, emit.splatLike(op.getOperand(), 0));
      return success();
    }
    Type i64 = rewriter.getI64Type();
    auto scalar = [&](Type element, Attribute value) -> Value {
      auto type = RankedTensorType::get({}, element);
      return ConstantOp::create(rewriter, op.getLoc(), type,
                                DenseElementsAttr::get(type, value));
    };
    // The number of each element, -1 outside.
    SmallVector<OpFoldResult> sizes = emit.sizes(op.getOperand()),
                              counts = emit.sizes(op.getSource());
    OpFoldResult total = emit.product(sizes), windows = emit.product(counts);
    int64_t known = getConstantIntValue(total).value_or(ShapedType::kDynamic);
    SmallVector<Value> open;
    if (ShapedType::isDynamic(known))
      open.push_back(cast<Value>(total));
    auto line = RankedTensorType::get(known, i64);
    Value numbers = emit.reshape(
        IotaOp::create(rewriter, op.getLoc(), line, open, 0), sizes);
    Type element = from.getElementType();
    Value values = Padder(emit, dims)
                       .pad(op.getOperand(),
                            scalar(element, rewriter.getZeroAttr(element)));
    numbers = Padder(emit, dims)
                  .pad(numbers, scalar(i64, rewriter.getIntegerAttr(i64, -1)));
    Value best, place;
    forEachElement(dims, [&](ArrayRef<int64_t> at) {
      Value value = elementsAt(emit, values, dims, at, counts, to.getShape());
      Value number = elementsAt(emit, numbers, dims, at, counts, to.getShape());
      if (!best) {
        best = value;
        place = number;
        return;
      }
      auto truth = typeOf(value).clone(rewriter.getI1Type());
      auto compare = [&](auto tag, Value x, Value y) -> Value {
        return decltype(tag)::create(rewriter, op.getLoc(), truth, x, y);
      };
      Value none = emit.splatLike(place, -1);
      bool isMax = op.getKind() == ScanKind::max;
      Value take =
          isMax ? compare(GtOp(), value, best) : compare(LtOp(), value, best);
      if (isa<FloatType>(element)) {
        // A NaN is best of all, the first one.
        Value isNan = compare(NeOp(), value, value);
        Value wasNumber = compare(EqOp(), best, best);
        take = emit.map<BitwiseAndOp>(emit.map<BitwiseOrOp>(take, isNan),
                                      wasNumber);
      }
      take = emit.map<BitwiseOrOp>(take, compare(EqOp(), place, none));
      take = emit.map<BitwiseAndOp>(take, compare(NeOp(), number, none));
      best = WhereOp::create(rewriter, op.getLoc(), best.getType(), take, value,
                             best);
      place = WhereOp::create(rewriter, op.getLoc(), place.getType(), take,
                              number, place);
    });
    // Sums are wider than what is summed.
    Type wide = isa<FloatType>(element)
                    ? Type(PrimBuilder::computeType(element))
                    : element;
    auto sumType = RankedTensorType::get(known, wide);
    Value zero = emit.broadcastTo(
        scalar(wide, rewriter.getZeroAttr(wide)),
        FullOp::create(rewriter, op.getLoc(), sumType, open,
                       cast<TypedAttr>(rewriter.getZeroAttr(wide))),
        {});
    OpFoldResult one = rewriter.getIndexAttr(1);
    Value sums = ScatterOp::create(
        rewriter, op.getLoc(), sumType, ScatterKind::add, zero,
        emit.reshape(place, {windows, one}),
        emit.reshape(emit.convert(op.getSource(), wide), {windows, one}),
        ArrayRef<int64_t>{0}, 0, /*unique=*/false);
    rewriter.replaceOp(op, emit.convert(emit.reshape(sums, sizes), element));
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeWindows(RewritePatternSet &patterns,
                                          WantedFn wanted) {
  addWanted<DecomposeReduceWindow, ReduceWindowOp>(patterns, wanted);
  addWanted<DecomposeSelectAndScatter, SelectAndScatterOp>(patterns, wanted);
}

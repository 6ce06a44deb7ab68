// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices, padding and generated tensors of the tensor dialect.
#include "BodyScope.h"
#include "Translator.h"

#include "kiln/Dialect/Prim/Shape.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// What an offset, a size or a stride is known to be now.
OpFoldResult resolve(OpFoldResult entry, Translator &e) {
  auto value = dyn_cast<Value>(entry);
  if (!value)
    return entry;
  Sizes sizes = e.getSizes(value);
  return sizes.size() == 1 ? sizes.front() : OpFoldResult(e.get(value));
}

/// Whether an entry is an element of a tensor.
bool isElement(OpFoldResult entry) {
  auto value = dyn_cast<Value>(entry);
  return value && isa<RankedTensorType>(value.getType());
}

/// Whether a size computed at run time is that of a dimension of `x`.
bool isSizeOf(OpFoldResult size, Value x, int64_t dim) {
  auto value = dyn_cast<Value>(size);
  auto op = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
  return op && op.getConstantIndex() &&
         prim::sameSize(op.getSource(), *op.getConstantIndex(), x, dim);
}

/// Reads `count` elements of a dimension from an offset on that is an element
/// of a tensor, or as many as are known at run time only.
Value gatherFrom(Value x, int64_t dim, OpFoldResult start, OpFoldResult count,
                 int64_t stride, Translator &e) {
  SmallVector<int64_t> shape(e.typeOf(x).getShape());
  Value offset = isElement(start) ? cast<Value>(start) : e.sizeTensor(start);
  auto number = getConstantIntValue(count);
  if (number && ShapedType::isStatic(shape[dim]))
    e.limitIndices(offset, shape[dim] - (*number - 1) * stride);
  Value steps = prim::IotaOp::create(e.b, e.typeFor({count}, e.b.getI64Type()),
                                     e.dynamicSizes({count}), 0);
  if (stride != 1)
    steps = e.mul(steps, e.integer(stride, steps));
  Value indices = e.add(steps, e.broadcastInDim(offset, {}, e.sizesOf(steps)));
  indices = e.keepInside(indices, e.sizesOf(x)[dim]);
  shape[dim] = number.value_or(ShapedType::kDynamic);
  return prim::GatherOp::create(e.b, e.typeOf(x).clone(shape), x, indices, dim,
                                0);
}

LogicalResult extractSlice(tensor::ExtractSliceOp op, Translator &e) {
  auto part = readPart(op, e.get(op.getSource()),
                       partOf(op.getMixedOffsets(), op.getMixedSizes(),
                              op.getMixedStrides(), op.getDroppedDims(), e),
                       e);
  return failed(part) ? failure() : e.set(op, *part);
}

/// Replaces a block of `x`: cuts along one dimension at a time.
Value replaceBlock(Value x, Value block, ArrayRef<int64_t> offsets, int64_t dim,
                   Translator &e) {
  int64_t rank = e.typeOf(x).getRank();
  while (dim < rank &&
         e.typeOf(x).getDimSize(dim) == e.typeOf(block).getDimSize(dim))
    ++dim;
  if (dim == rank)
    return block;
  int64_t start = offsets[dim], end = start + e.typeOf(block).getDimSize(dim);
  SmallVector<Value> parts;
  if (start > 0)
    parts.push_back(e.sliceDim(x, dim, 0, start));
  parts.push_back(
      replaceBlock(e.sliceDim(x, dim, start, end), block, offsets, dim + 1, e));
  if (end < e.typeOf(x).getDimSize(dim))
    parts.push_back(e.sliceDim(x, dim, end, -1));
  return e.concat(parts, dim);
}

/// Elements of a dimension `stride` apart, with zeros between them.
Value spread(Value x, int64_t dim, int64_t stride, Translator &e) {
  SmallVector<int64_t> shape(e.typeOf(x).getShape()), flat = shape;
  int64_t count = shape[dim];
  shape.insert(shape.begin() + dim + 1, 1);
  x = e.reshape(x, shape);
  SmallVector<int64_t> low(shape.size(), 0), high(shape.size(), 0);
  high[dim + 1] = stride - 1;
  shape[dim + 1] = stride;
  x = prim::PadOp::create(e.b, e.typeOf(x).clone(shape), x, low, high,
                          numberAttr(e.elementOf(x), 0));
  flat[dim] = count * stride;
  return e.sliceDim(e.reshape(x, flat), dim, 0, (count - 1) * stride + 1);
}

LogicalResult insertSlice(tensor::InsertSliceOp op, Translator &e) {
  auto whole = writePart(op, e.get(op.getDest()), e.get(op.getSource()),
                         partOf(op.getMixedOffsets(), op.getMixedSizes(),
                                op.getMixedStrides(), op.getDroppedDims(), e),
                         e);
  return failed(whole) ? failure() : e.set(op, *whole);
}

/// Each position of `x` looks up whether the part has an element for it, and
/// which: for offsets that are computed.
Value lookUpPart(Value x, Value part, const Part &block, Translator &e) {
  Sizes sizes = e.sizesOf(x);
  Type i64 = e.b.getI64Type();
  Value inside;
  for (auto [dim, offset] : llvm::enumerate(block.offsets)) {
    int64_t count = e.typeOf(part).getDimSize(dim);
    int64_t stride = *getConstantIntValue(block.strides[dim]);
    bool isOpen = ShapedType::isDynamic(count);
    if (getConstantIntValue(offset) == 0 && stride == 1 &&
        (isOpen ? isSizeOf(block.sizes[dim], x, dim)
                : count == e.typeOf(x).getDimSize(dim)))
      continue;
    auto line = e.typeFor({sizes[dim]}, i64);
    Value steps = prim::IotaOp::create(e.b, line, e.dynamicSizes({sizes[dim]}),
                                       /*dim=*/0);
    Value start =
        isElement(offset) ? cast<Value>(offset) : e.sizeTensor(offset);
    if (int64_t extent = e.typeOf(x).getDimSize(dim);
        !isOpen && ShapedType::isStatic(extent))
      e.limitIndices(start, extent - (count - 1) * stride);
    Value from =
        e.sub(steps, e.broadcastInDim(start, {}, ArrayRef(sizes[dim])));
    Value number = e.integer(stride, from), zero = e.integer(0, from);
    Value at = stride == 1 ? from : e.divide(from, number, false);
    Value limit = e.broadcastInDim(e.sizeTensor(e.sizesOf(part)[dim]), {},
                                   e.sizesOf(from));
    Value here = e.binary<prim::BitwiseAndOp>(e.compare<prim::GeOp>(at, zero),
                                              e.compare<prim::LtOp>(at, limit));
    if (stride != 1)
      here = e.binary<prim::BitwiseAndOp>(
          here, e.compare<prim::EqOp>(e.mul(at, number), from));
    SmallVector<int64_t> shape(e.typeOf(part).getShape());
    if (isOpen) {
      // It may be empty: one more element is there to be read in any case.
      SmallVector<int64_t> low(shape.size(), 0), high(shape.size(), 0);
      high[dim] = 1;
      part = prim::PadOp::create(e.b, e.typeOf(part), part, low, high,
                                 numberAttr(e.elementOf(part), 0));
    }
    shape[dim] = e.typeOf(x).getDimSize(dim);
    part = prim::GatherOp::create(e.b, e.typeOf(part).clone(shape), part,
                                  e.where(here, at, isOpen ? limit : zero), dim,
                                  0);
    Value mask = e.broadcastInDim(here, {int64_t(dim)}, sizes);
    inside = inside ? e.binary<prim::BitwiseAndOp>(inside, mask) : mask;
  }
  part = e.refine(part, e.typeOf(x).getShape());
  return inside ? e.where(inside, part, x) : part;
}

/// Padding by amounts that are known at run time only, along one dimension:
/// which elements there are, and whether they are of the operand.
Value padOpen(Value &x, int64_t dim, OpFoldResult low, OpFoldResult high,
              Translator &e) {
  OpFoldResult size = e.sizesOf(x)[dim];
  OpFoldResult wide = e.sizeMath().add(e.sizeMath().add(size, low), high);
  Value steps = prim::IotaOp::create(e.b, e.typeFor({wide}, e.b.getI64Type()),
                                     e.dynamicSizes({wide}), 0);
  auto spread = [&](OpFoldResult number) {
    return e.broadcastInDim(e.sizeTensor(number), {}, e.sizesOf(steps));
  };
  Value at = e.sub(steps, spread(low)), extent = spread(size);
  Value inside =
      e.binary<prim::BitwiseAndOp>(e.compare<prim::GeOp>(at, e.integer(0, at)),
                                   e.compare<prim::LtOp>(at, extent));
  // One more element is there to be read in any case.
  SmallVector<int64_t> shape(e.typeOf(x).getShape()), none(shape.size(), 0),
      one = none;
  one[dim] = 1;
  shape[dim] += ShapedType::isStatic(shape[dim]) ? 1 : 0;
  x = prim::PadOp::create(e.b, e.typeOf(x).clone(shape), x, none, one,
                          numberAttr(e.elementOf(x), 0));
  shape[dim] = getConstantIntValue(wide).value_or(ShapedType::kDynamic);
  x = prim::GatherOp::create(e.b, e.typeOf(x).clone(shape), x,
                             e.where(inside, at, extent), dim, 0);
  return inside;
}

/// Padding: with a constant, or with what the body gives for each element.
LogicalResult pad(tensor::PadOp op, Translator &e) {
  Value x = e.get(op.getSource());
  auto resolved = [&](ArrayRef<OpFoldResult> list) {
    return llvm::map_to_vector<6>(
        list, [&](OpFoldResult entry) { return resolve(entry, e); });
  };
  Sizes low = resolved(op.getMixedLowPad()),
        high = resolved(op.getMixedHighPad());
  SmallVector<int64_t> below, above, shape(e.typeOf(x).getShape());
  for (auto [from, to] : llvm::zip_equal(low, high)) {
    if (isElement(from) || isElement(to))
      return e.unsupported(op, "has padding that is computed from elements");
    auto first = getConstantIntValue(from), last = getConstantIntValue(to);
    if ((first && *first < 0) || (last && *last < 0))
      return e.unsupported(op, "has negative padding");
    bool isKnown = first && last;
    below.push_back(isKnown ? *first : 0);
    above.push_back(isKnown ? *last : 0);
  }
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  // A constant inside of the body is not translated yet.
  Operation *source = yielded.getDefiningOp();
  if (!e.isKnown(yielded) && source &&
      source->hasTrait<OpTrait::ConstantLike>())
    (void)e.emit(source);
  std::optional<TypedAttr> value =
      e.isKnown(yielded) ? e.splatOf(e.get(yielded)) : std::nullopt;
  TypedAttr rest = value ? *value : numberAttr(e.elementOf(x), 0);
  Value mask; // what is of the operand, where it is needed
  if (!value)
    mask = e.integer(1, x, e.b.getI8Type());
  for (auto [dim, size] : llvm::enumerate(shape))
    if (ShapedType::isStatic(size))
      size += below[dim] + above[dim];
  if (!llvm::equal(shape, e.typeOf(x).getShape()) ||
      !e.typeOf(x).hasStaticShape()) {
    RankedTensorType type = e.typeOf(x).clone(shape);
    x = prim::PadOp::create(e.b, type, x, below, above, rest);
    if (mask)
      mask = prim::PadOp::create(e.b, type.clone(e.b.getI8Type()), mask, below,
                                 above, numberAttr(e.b.getI8Type(), 0));
  }
  if (mask)
    mask = e.convert(mask, e.b.getI1Type());
  for (size_t dim = 0; dim < low.size(); ++dim) {
    if (getConstantIntValue(low[dim]) && getConstantIntValue(high[dim]))
      continue;
    Value before = mask;
    if (before)
      (void)padOpen(before, dim, low[dim], high[dim], e);
    Value inside = e.broadcastInDim(padOpen(x, dim, low[dim], high[dim], e),
                                    {int64_t(dim)}, e.sizesOf(x));
    if (value)
      x = e.where(inside, x, e.full(rest, e.sizesOf(x)));
    else
      mask = e.binary<prim::BitwiseAndOp>(before, inside);
  }
  if (value)
    return e.set(op, x);
  Sizes sizes = e.sizesOf(x);
  BodyScope scope(e, op.getRegion(), sizes);
  for (auto [dim, argument] : llvm::enumerate(op.getBody()->getArguments()))
    scope.bind(argument, scope.index(dim));
  auto around = scope.evaluate(yielded);
  if (failed(around))
    return failure();
  return e.set(op, e.where(mask, x, *around));
}

/// The body is evaluated for all indices at once.
LogicalResult generate(tensor::GenerateOp op, Translator &e) {
  RankedTensorType type = e.tensorType(op.getType());
  if (!type || e.body)
    return e.unsupported(op, "has type " + Twine(text(op.getType())));
  Sizes sizes = e.sizesOfType(type, op.getDynamicExtents());
  Block &block = op.getBody().front();
  BodyScope scope(e, op.getBody(), sizes);
  for (auto [dim, argument] : llvm::enumerate(block.getArguments()))
    scope.bind(argument, scope.index(dim));
  auto result = scope.evaluate(block.getTerminator()->getOperand(0));
  if (failed(result))
    return failure();
  return e.set(op, *result);
}

} // namespace

Part partOf(ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
            ArrayRef<OpFoldResult> strides, const llvm::SmallBitVector &dropped,
            Translator &e) {
  Part block;
  auto all = [&](ArrayRef<OpFoldResult> list) {
    return llvm::map_to_vector<6>(
        list, [&](OpFoldResult entry) { return resolve(entry, e); });
  };
  return {all(offsets), all(sizes), all(strides), dropped};
}

FailureOr<Value> readPart(Operation *op, Value x, const Part &block,
                          Translator &e) {
  Sizes starts = block.offsets, steps = block.strides;
  Sizes counts = block.sizes;
  for (auto [dim, start] : llvm::enumerate(starts)) {
    auto count = getConstantIntValue(counts[dim]);
    auto stride = getConstantIntValue(steps[dim]);
    bool whole = !count && getConstantIntValue(start) == 0 && stride == 1 &&
                 isSizeOf(counts[dim], x, dim);
    if (whole || (count && getConstantIntValue(start)))
      continue;
    if (!stride || *stride < 1 || (count && *count < 1) ||
        isElement(counts[dim]))
      return e.unsupported(op, "has a size or a stride that is not a constant");
    x = gatherFrom(x, dim, start, counts[dim], *stride, e);
    start = e.size(0);
    steps[dim] = e.size(1);
    counts[dim] = e.sizesOf(x)[dim];
  }
  auto offsets = getConstantIntValues(starts);
  auto strides = getConstantIntValues(steps);
  if (!offsets || !strides)
    return e.unsupported(op,
                         "has an offset or a stride that is not a constant");
  RankedTensorType type = e.typeOf(x);
  SmallVector<int64_t> limits, shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto size = getConstantIntValue(counts[dim]);
    int64_t extent = type.getDimSize(dim), start = (*offsets)[dim],
            stride = (*strides)[dim];
    bool whole = !size; // what was not is gathered
    int64_t count = whole ? extent : *size;
    int64_t limit = whole ? extent : start + (count - 1) * stride + 1;
    if (start < 0 || stride < 1 ||
        (!whole &&
         (count < 0 || (ShapedType::isStatic(extent) && limit > extent))))
      return e.unsupported(op, "leaves its operand in dimension " + Twine(dim));
    limits.push_back(ShapedType::isDynamic(limit) ? -1
                                                  : std::max(limit, start));
    shape.push_back(count);
  }
  if (shape != type.getShape())
    x = prim::SliceOp::create(e.b, type.clone(shape), x, *offsets, limits,
                              *strides);
  if (block.dropped.none())
    return x;
  Sizes kept;
  for (auto [dim, size] : llvm::enumerate(e.sizesOf(x)))
    if (!block.dropped.test(dim))
      kept.push_back(size);
  return e.reshape(x, kept);
}

FailureOr<Value> writePart(Operation *op, Value x, Value part,
                           const Part &block, Translator &e) {
  RankedTensorType type = e.typeOf(x);
  auto strides = getConstantIntValues(block.strides);
  auto offsets = getConstantIntValues(block.offsets);
  Sizes own = e.sizesOf(part), partSizes;
  SmallVector<int64_t> counts;
  bool whole = true, strided = false, isOpen = false;
  size_t next = 0;
  if (!strides || llvm::any_of(*strides, [](int64_t s) { return s < 1; }))
    return e.unsupported(op, "has a stride that is not a positive constant");
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult size = block.sizes[dim];
    if (!block.dropped.test(dim) && !getConstantIntValue(size))
      size = own[next]; // as much as is known of it
    next += !block.dropped.test(dim);
    partSizes.push_back(size);
    auto count = getConstantIntValue(size);
    counts.push_back(count.value_or(ShapedType::kDynamic));
    int64_t extent = type.getDimSize(dim), stride = (*strides)[dim];
    auto start = getConstantIntValue(block.offsets[dim]);
    bool all = start == 0 && stride == 1 &&
               (count ? *count == extent : isSizeOf(block.sizes[dim], x, dim));
    whole &= all;
    strided |= stride > 1;
    if (all)
      continue;
    if (count && *count < 1)
      return e.unsupported(op, "has a size that is not a constant");
    isOpen |= !count;
    if (count && start &&
        (*start < 0 || (ShapedType::isStatic(extent) &&
                        *start + (*count - 1) * stride + 1 > extent)))
      return e.unsupported(op,
                           "leaves its destination in dimension " + Twine(dim));
  }
  part = e.reshape(part, partSizes);
  if (whole)
    return e.refine(part, type.getShape());
  if (!offsets || isOpen || !type.hasStaticShape())
    return lookUpPart(x, part, block, e);
  if (!strided)
    return replaceBlock(x, part, *offsets, 0, e);
  // Spread the block and a mask of it, and choose.
  Value mask = e.integer(1, part, e.b.getI8Type());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (int64_t stride = (*strides)[dim]; stride > 1) {
      part = spread(part, dim, stride, e);
      mask = spread(mask, dim, stride, e);
    }
  Value inside =
      replaceBlock(e.integer(0, x, e.b.getI8Type()), mask, *offsets, 0, e);
  Value placed = replaceBlock(e.number(0, x), part, *offsets, 0, e);
  return e.where(e.convert(inside, e.b.getI1Type()), placed, x);
}

void addSliceRules(Rules &rules) {
  rules.add<tensor::ExtractSliceOp>(extractSlice);
  rules.add<tensor::InsertSliceOp>(insertSlice);
  rules.add<tensor::PadOp>(pad);
  rules.add<tensor::GenerateOp>(generate);
}

} // namespace kiln::tensor_to_prim

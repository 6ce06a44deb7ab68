// Slices, padding and generated tensors of the tensor dialect.
#include "Emitter.h"
#include "Linalg.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tosa_to_prim {
namespace {

/// Offsets, sizes or strides as numbers.
std::optional<SmallVector<int64_t>> numbersOf(ArrayRef<OpFoldResult> list,
                                              Emitter &e) {
  SmallVector<int64_t> numbers;
  for (OpFoldResult entry : list) {
    auto value = dyn_cast<Value>(entry);
    std::optional<int64_t> number = getConstantIntValue(
        value && !e.getSizes(value).empty() ? e.getSizes(value).front()
                                            : entry);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// Whether a size computed at run time is that of a dimension of `x`.
bool isSizeOf(Value size, Value x, int64_t dim, Emitter &e) {
  Sizes known = e.getSizes(size);
  auto value = known.empty() ? Value() : dyn_cast<Value>(known.front());
  auto op = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
  return op && op.getSource() == x && op.getConstantIndex() == dim;
}

/// Reads `count` elements of a dimension from an offset that is an element of
/// a tensor.
Value gatherFrom(Value x, int64_t dim, Value offset, int64_t count,
                 int64_t stride, Emitter &e) {
  SmallVector<int64_t> shape(e.typeOf(x).getShape());
  if (ShapedType::isStatic(shape[dim]))
    e.limitIndices(offset, shape[dim] - (count - 1) * stride);
  auto type = RankedTensorType::get({count}, e.b.getI64Type());
  Value steps = prim::IotaOp::create(e.b, type, ValueRange(), 0);
  if (stride != 1)
    steps = e.mul(steps, e.integer(stride, steps));
  Value indices = e.add(steps, e.broadcastInDim(offset, {}, e.sizesOf(steps)));
  shape[dim] = count;
  return prim::GatherOp::create(e.b, e.typeOf(x).clone(shape), x, indices, dim,
                                0);
}

LogicalResult extractSlice(tensor::ExtractSliceOp op, Emitter &e) {
  Value x = e.get(op.getSource());
  SmallVector<OpFoldResult> starts = op.getMixedOffsets(),
                            steps = op.getMixedStrides();
  for (auto [dim, start] : llvm::enumerate(starts)) {
    auto value = dyn_cast<Value>(start);
    if (!value || !e.getSizes(value).empty())
      continue;
    auto count = numbersOf(op.getMixedSizes()[dim], e);
    auto stride = numbersOf(steps[dim], e);
    if (!count || !stride || count->front() < 1 || stride->front() < 1)
      return e.unsupported(op, "has a size or a stride that is not a constant");
    x = gatherFrom(x, dim, e.get(value), count->front(), stride->front(), e);
    start = e.size(0);
    steps[dim] = e.size(1);
  }
  auto offsets = numbersOf(starts, e);
  auto strides = numbersOf(steps, e);
  if (!offsets || !strides)
    return e.unsupported(op,
                         "has an offset or a stride that is not a constant");
  RankedTensorType type = e.typeOf(x);
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  SmallVector<int64_t> limits, shape;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto size = numbersOf(sizes[dim], e);
    int64_t extent = type.getDimSize(dim), start = (*offsets)[dim],
            stride = (*strides)[dim];
    bool whole = !size && start == 0 && stride == 1 &&
                 isSizeOf(cast<Value>(sizes[dim]), x, dim, e);
    if (!size && !whole)
      return e.unsupported(op, "has a size that is not a constant");
    int64_t count = whole ? extent : size->front();
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
  Sizes kept;
  for (auto [dim, size] : llvm::enumerate(e.sizesOf(x)))
    if (!dropped.test(dim))
      kept.push_back(size);
  return e.set(op, dropped.any() ? e.reshape(x, kept) : x);
}

/// Replaces a block of `x`: cuts along one dimension at a time.
Value replaceBlock(Value x, Value block, ArrayRef<int64_t> offsets, int64_t dim,
                   Emitter &e) {
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
Value spread(Value x, int64_t dim, int64_t stride, Emitter &e) {
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

LogicalResult insertSlice(tensor::InsertSliceOp op, Emitter &e) {
  Value x = e.get(op.getDest()), block = e.get(op.getSource());
  auto offsets = numbersOf(op.getMixedOffsets(), e);
  auto sizes = numbersOf(op.getMixedSizes(), e);
  auto strides = numbersOf(op.getMixedStrides(), e);
  RankedTensorType type = e.typeOf(x);
  if (!offsets || !sizes || !strides || !type.hasStaticShape())
    return e.unsupported(op, "is not static");
  block = e.reshape(block, *sizes);
  bool strided = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t stride = (*strides)[dim], count = (*sizes)[dim];
    if (stride < 1 || count < 1 || (*offsets)[dim] < 0 ||
        (*offsets)[dim] + (count - 1) * stride + 1 > type.getDimSize(dim))
      return e.unsupported(op,
                           "leaves its destination in dimension " + Twine(dim));
    strided |= stride > 1;
  }
  if (!strided)
    return e.set(op, replaceBlock(x, block, *offsets, 0, e));
  // Spread the block and a mask of it, and choose.
  Value mask = e.integer(1, block, e.b.getI8Type());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (int64_t stride = (*strides)[dim]; stride > 1) {
      block = spread(block, dim, stride, e);
      mask = spread(mask, dim, stride, e);
    }
  Value inside =
      replaceBlock(e.integer(0, x, e.b.getI8Type()), mask, *offsets, 0, e);
  Value placed = replaceBlock(e.number(0, x), block, *offsets, 0, e);
  return e.set(op, e.where(e.convert(inside, e.b.getI1Type()), placed, x));
}

/// Padding with one value.
LogicalResult pad(tensor::PadOp op, Emitter &e) {
  Value x = e.get(op.getSource());
  auto low = numbersOf(op.getMixedLowPad(), e);
  auto high = numbersOf(op.getMixedHighPad(), e);
  if (!low || !high)
    return e.unsupported(op, "has padding that is not a constant");
  Value yielded = op.getConstantPaddingValue();
  if (!yielded)
    return e.unsupported(op, "does not pad with one value");
  // A constant inside of the body is not translated yet.
  Operation *source = yielded.getDefiningOp();
  if (!e.isKnown(yielded) && (!source || failed(e.emit(source))))
    return failure();
  std::optional<TypedAttr> value = e.splatOf(e.get(yielded));
  if (!value)
    return e.unsupported(op, "pads with a value that is not a constant");
  SmallVector<int64_t> shape(e.typeOf(x).getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if ((*low)[dim] < 0 || (*high)[dim] < 0)
      return e.unsupported(op, "has negative padding");
    if (!ShapedType::isDynamic(size))
      size += (*low)[dim] + (*high)[dim];
  }
  if (llvm::equal(shape, e.typeOf(x).getShape()) &&
      e.typeOf(x).hasStaticShape())
    return e.set(op, x);
  return e.set(op, prim::PadOp::create(e.b, e.typeOf(x).clone(shape), x, *low,
                                       *high, *value));
}

/// The body is evaluated for all indices at once.
LogicalResult generate(tensor::GenerateOp op, Emitter &e) {
  RankedTensorType type = e.tensorType(op.getType());
  if (!type || e.body)
    return e.unsupported(op, "has type " + Twine(text(op.getType())));
  Sizes sizes = getAsIndexOpFoldResult(op.getContext(), type.getShape());
  size_t next = 0;
  for (OpFoldResult &size : sizes)
    if (ShapedType::isDynamic(*getConstantIntValue(size)))
      size = e.getSizes(op.getDynamicExtents()[next++]).front();
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

void addSliceRules(Rules &rules) {
  rules.add<tensor::ExtractSliceOp>(extractSlice);
  rules.add<tensor::InsertSliceOp>(insertSlice);
  rules.add<tensor::PadOp>(pad);
  rules.add<tensor::GenerateOp>(generate);
}

} // namespace kiln::tosa_to_prim

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders of prims that fill in result types and sizes.
#include "Translator.h"

#include "kiln/Dialect/Prim/Shape.h"
#include "kiln/Index/List.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace kiln::tensor_to_prim {

TypedAttr numberAttr(Type element, double value) {
  auto real = dyn_cast<FloatType>(element);
  if (!real)
    return integerAttr(element, static_cast<int64_t>(value));
  // Formats without NaN and infinity have the largest number for it.
  const llvm::fltSemantics &own = real.getFloatSemantics();
  if (!std::isfinite(value) && !APFloat::semanticsHasNaN(own))
    return FloatAttr::get(element, std::isnan(value)
                                       ? APFloat::getZero(own)
                                       : APFloat::getLargest(own, value < 0));
  return FloatAttr::get(element, value);
}

TypedAttr integerAttr(Type element, int64_t value) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, static_cast<double>(value));
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, APInt(64, value).sextOrTrunc(width));
}

Sizes Translator::sizesOf(Value value) {
  return prim::dimSizes(b, b.getLoc(), value);
}

RankedTensorType Translator::typeFor(ArrayRef<OpFoldResult> sizes,
                                     Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

SmallVector<Value> Translator::dynamicSizes(ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> values;
  for (OpFoldResult size : sizes)
    if (!getConstantIntValue(size))
      values.push_back(cast<Value>(size));
  return values;
}

Value Translator::reshape(Value value, ArrayRef<OpFoldResult> to) {
  RankedTensorType type = typeFor(to, elementOf(value));
  if (type == value.getType() && type.hasStaticShape())
    return value;
  return prim::ReshapeOp::create(b, type, value, dynamicSizes(to));
}

Value Translator::reshape(Value value, ArrayRef<int64_t> to) {
  return reshape(value, getAsIndexOpFoldResult(b.getContext(), to));
}

Value Translator::refine(Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value);
  bool better = false;
  for (auto [have, want] : llvm::zip_equal(type.getShape(), shape))
    better |= ShapedType::isDynamic(have) && !ShapedType::isDynamic(want);
  if (!better)
    return value;
  Sizes sizes = sizesOf(value);
  for (auto [have, want] : llvm::zip_equal(sizes, shape))
    if (!ShapedType::isDynamic(want))
      have = size(want);
  return reshape(value, sizes);
}

Value Translator::broadcastInDim(Value value, ArrayRef<int64_t> dims,
                                 ArrayRef<OpFoldResult> to) {
  RankedTensorType type = typeFor(to, elementOf(value));
  if (std::optional<TypedAttr> splat = splatOf(value))
    return full(*splat, to);
  if (type == value.getType() && type.hasStaticShape())
    return value;
  return prim::BroadcastInDimOp::create(b, type, value, dynamicSizes(to), dims);
}

Value Translator::broadcast(Value value, ArrayRef<OpFoldResult> to) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape, dims;
  bool repeats = false;
  for (auto [dim, have] : llvm::enumerate(type.getShape())) {
    int64_t want = getConstantIntValue(to[dim]).value_or(ShapedType::kDynamic);
    repeats |= have == 1 && want != 1;
    shape.push_back(want);
    dims.push_back(dim);
  }
  return repeats ? broadcastInDim(value, dims, to) : refine(value, shape);
}

LogicalResult Translator::broadcastTogether(Operation *op,
                                            MutableArrayRef<Value> values) {
  int64_t rank = 0;
  for (Value value : values)
    rank = std::max(rank, typeOf(value).getRank());
  for (Value &value : values) {
    int64_t missing = rank - typeOf(value).getRank();
    if (missing == 0)
      continue;
    Sizes sizes(missing, size(1));
    llvm::append_range(sizes, sizesOf(value));
    value = reshape(value, sizes);
  }
  Sizes to(rank, size(1));
  for (int64_t dim = 0; dim < rank; ++dim)
    for (Value value : values) {
      int64_t have = typeOf(value).getDimSize(dim);
      std::optional<int64_t> now = getConstantIntValue(to[dim]);
      if (have == 1 || (ShapedType::isDynamic(have) && now != 1))
        continue;
      if (now && *now != 1 && *now != have)
        return unsupported(op, "joins sizes " + llvm::Twine(*now) + " and " +
                                   llvm::Twine(have));
      to[dim] = ShapedType::isDynamic(have)
                    ? prim::dimSize(b, b.getLoc(), value, dim)
                    : size(have);
    }
  for (Value &value : values)
    value = broadcast(value, to);
  return success();
}

Value Translator::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(typeOf(value).getDimSize(dim));
  return prim::TransposeOp::create(b, typeOf(value).clone(shape), value,
                                   permutation);
}

Value Translator::sliceDim(Value value, int64_t dim, int64_t start,
                           int64_t limit) {
  RankedTensorType type = typeOf(value);
  int64_t extent = type.getDimSize(dim);
  if (start == 0 && (limit == -1 || limit == extent))
    return value;
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getRank(), -1),
      strides(type.getRank(), 1), shape(type.getShape());
  starts[dim] = start;
  limits[dim] = limit;
  int64_t end = limit == -1 ? extent : limit;
  shape[dim] = ShapedType::isDynamic(end) ? end : end - start;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (limits[i] == -1 && !ShapedType::isDynamic(size))
      limits[i] = size;
  return prim::SliceOp::create(b, type.clone(shape), value, starts, limits,
                               strides);
}

Value Translator::concat(ArrayRef<Value> values, int64_t dim) {
  if (values.size() == 1)
    return values.front();
  SmallVector<int64_t> shape(typeOf(values.front()).getShape());
  shape[dim] = 0;
  for (Value value : values) {
    int64_t extent = typeOf(value).getDimSize(dim);
    shape[dim] = ShapedType::isDynamic(extent) || shape[dim] < 0
                     ? ShapedType::kDynamic
                     : shape[dim] + extent;
    // The other dimensions: as much as any operand knows of them.
    for (auto [i, size] : llvm::enumerate(typeOf(value).getShape()))
      if (static_cast<int64_t>(i) != dim && ShapedType::isDynamic(shape[i]))
        shape[i] = size;
  }
  return prim::CatOp::create(b, typeOf(values.front()).clone(shape), values,
                             dim);
}

Value Translator::full(TypedAttr value, ArrayRef<OpFoldResult> sizes) {
  return prim::FullOp::create(b, typeFor(sizes, value.getType()),
                              dynamicSizes(sizes), value);
}

Value Translator::number(double value, Value like, Type element) {
  return full(numberAttr(element ? element : elementOf(like), value),
              sizesOf(like));
}

Value Translator::integer(int64_t value, Value like, Type element) {
  return full(integerAttr(element ? element : elementOf(like), value),
              sizesOf(like));
}

Value Translator::constant(DenseElementsAttr value) {
  return prim::ConstantOp::create(b, cast<RankedTensorType>(value.getType()),
                                  cast<ElementsAttr>(value));
}

/// A number in another type, if that needs no thought about rounding.
static TypedAttr convertAttr(TypedAttr value, Type element, bool fromUnsigned) {
  auto from = dyn_cast<IntegerAttr>(value);
  auto to = dyn_cast<IntegerType>(element);
  if (!from || !to)
    return {};
  const APInt &number = from.getValue();
  if (to.getWidth() == 1)
    return IntegerAttr::get(to, number.isZero() ? 0 : 1);
  bool isUnsigned = fromUnsigned || number.getBitWidth() == 1;
  return IntegerAttr::get(to, isUnsigned ? number.zextOrTrunc(to.getWidth())
                                         : number.sextOrTrunc(to.getWidth()));
}

Value Translator::convert(Value value, Type element, bool round,
                          bool fromUnsigned, bool toUnsigned) {
  if (elementOf(value) == element)
    return value;
  if (std::optional<TypedAttr> splat = splatOf(value))
    if (TypedAttr number = convertAttr(*splat, element, fromUnsigned))
      return full(number, sizesOf(value));
  return prim::ConvertElementTypeOp::create(
      b, typeOf(value).clone(element), value, round, fromUnsigned, toUnsigned);
}

Value Translator::add(Value lhs, Value rhs) {
  return elementOf(lhs).isInteger(1) ? binary<prim::BitwiseXorOp>(lhs, rhs)
                                     : binary<prim::AddOp>(lhs, rhs);
}

Value Translator::sub(Value lhs, Value rhs) {
  return elementOf(lhs).isInteger(1) ? binary<prim::BitwiseXorOp>(lhs, rhs)
                                     : binary<prim::SubOp>(lhs, rhs);
}

Value Translator::mul(Value lhs, Value rhs) {
  return elementOf(lhs).isInteger(1) ? binary<prim::BitwiseAndOp>(lhs, rhs)
                                     : binary<prim::MulOp>(lhs, rhs);
}

Value Translator::divide(Value lhs, Value rhs, bool up) {
  // The quotient, corrected where the remainder is not zero.
  Value quotient = binary<prim::DivOp>(lhs, rhs);
  Value rest = binary<prim::FmodOp>(lhs, rhs);
  Value zero = integer(0, rest), one = integer(1, rest);
  Value inexact = compare<prim::NeOp>(rest, zero);
  Value signs = binary<prim::BitwiseXorOp>(
      convert(compare<prim::LtOp>(lhs, zero), b.getI8Type()),
      convert(compare<prim::LtOp>(rhs, zero), b.getI8Type()));
  Value negative = convert(signs, b.getI1Type());
  if (up)
    negative = unary<prim::BitwiseNotOp>(negative);
  Value correct = binary<prim::BitwiseAndOp>(inexact, negative);
  Value moved = up ? add(quotient, one) : sub(quotient, one);
  return where(correct, moved, quotient);
}

Value Translator::clampTo(Value value, int64_t low, int64_t high) {
  Type element = elementOf(value);
  return prim::ClampOp::create(b, value.getType(), value,
                               integerAttr(element, low),
                               integerAttr(element, high), false, false);
}

std::optional<DenseElementsAttr> Translator::constantOf(Value value) {
  if (auto op = value.getDefiningOp<prim::ReshapeOp>()) {
    auto inner = op.getType().hasStaticShape() ? constantOf(op.getOperand())
                                               : std::nullopt;
    if (inner)
      inner = inner->reshape(op.getType());
    return inner;
  }
  if (auto op = value.getDefiningOp<prim::FullOp>()) {
    if (!op.getType().hasStaticShape())
      return std::nullopt;
    return DenseElementsAttr::get(op.getType(),
                                  ArrayRef<Attribute>{op.getValue()});
  }
  auto op = value.getDefiningOp<prim::ConstantOp>();
  if (!op)
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()))
    return dense;
  // Parameters are seldom in blobs, and then they are short.
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  bool splat = false;
  if (!blob || blob->getData().size() > (1 << 20) ||
      !DenseElementsAttr::isValidRawBuffer(resource.getType(), blob->getData(),
                                           splat))
    return std::nullopt;
  return DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                             blob->getData());
}

namespace {
/// Computes what depends on constants alone. Each value is looked at once,
/// however many ways lead to it.
class ConstantFolder {
public:
  explicit ConstantFolder(Translator &e) : e(e) {}

  /// The elements; null if they are not known, are many, or are `depth`
  /// operations away.
  DenseElementsAttr fold(Value value, int depth = 32) {
    constexpr int64_t most = 64;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() > most ||
        depth == 0)
      return {};
    if (auto dense = e.constantOf(value))
      return *dense;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1 ||
        !isa<prim::PrimDialect>(op->getDialect()))
      return {};
    auto [known, isNew] = folded.try_emplace(value);
    if (!isNew)
      return known->second;
    DenseElementsAttr result = compute(op, depth);
    folded[value] = result;
    return result;
  }

private:
  DenseElementsAttr compute(Operation *op, int depth) {
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(fold(operand, depth - 1));
      if (!operands.back())
        return {};
    }
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != 1)
      return {};
    if (auto same = dyn_cast<Value>(results.front()))
      return fold(same, depth - 1);
    return dyn_cast<DenseElementsAttr>(cast<Attribute>(results.front()));
  }

  Translator &e;
  llvm::DenseMap<Value, DenseElementsAttr> folded;
};
} // namespace

Value Translator::settle(Value value) {
  if (constantOf(value))
    return value;
  DenseElementsAttr dense = ConstantFolder(*this).fold(value);
  return dense && dense.getType() == value.getType() ? constant(dense) : value;
}

std::optional<SmallVector<int64_t>> Translator::integersOf(Value value,
                                                           bool isUnsigned) {
  auto dense = constantOf(value);
  if (!dense)
    if (DenseElementsAttr folded = ConstantFolder(*this).fold(value))
      dense = folded;
  if (!dense || !isa<IntegerType>(dense->getElementType()))
    return std::nullopt;
  return index::readList(cast<DenseIntElementsAttr>(*dense), 1 << 20,
                         isUnsigned);
}

std::optional<TypedAttr> Translator::splatOf(Value value) {
  while (auto op = value.getDefiningOp<prim::ReshapeOp>())
    value = op.getOperand();
  if (auto op = value.getDefiningOp<prim::FullOp>())
    return op.getValue();
  auto op = value.getDefiningOp<prim::ConstantOp>();
  auto dense = op ? dyn_cast<DenseElementsAttr>(op.getValue()) : nullptr;
  if (dense && dense.isSplat())
    return cast<TypedAttr>(dense.getSplatValue<Attribute>());
  return std::nullopt;
}

Value Translator::sizeValue(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
}

} // namespace kiln::tensor_to_prim

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of TOSA that move elements.
#include "Rules.h"

#include "kiln/Dialect/Prim/Shape.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// At most one size may be -1: it follows from the number of elements.
LogicalResult reshape(tosa::ReshapeOp op, Translator &e) {
  Value x = e.get(op.getInput1());
  Sizes to = e.getSizes(op.getShape());
  // Each size of the operand that reappears cancels out of the quotient.
  Sizes from = e.sizesOf(x);
  int64_t unknown = -1;
  OpFoldResult known = e.size(1);
  for (auto [dim, size] : llvm::enumerate(to)) {
    std::optional<int64_t> number = getConstantIntValue(size);
    if (number && *number < 0) {
      if (unknown >= 0)
        return e.unsupported(op, "leaves more than one size open");
      unknown = dim;
      continue;
    }
    auto same = llvm::find(from, size);
    if (!number && same != from.end())
      *same = e.size(1);
    else
      known = e.sizeMath().mul(known, size);
  }
  if (unknown >= 0) {
    index::ScalarBuilder &math = e.sizeMath();
    OpFoldResult factor = e.size(1), count = e.size(1);
    for (OpFoldResult size : from)
      (getConstantIntValue(size) ? factor : count) =
          math.mul(getConstantIntValue(size) ? factor : count, size);
    std::optional<int64_t> number = getConstantIntValue(factor),
                           divisor = getConstantIntValue(known);
    if (divisor == 0) // nothing by nothing
      to[unknown] = e.size(0);
    else if (number && divisor && *number % *divisor == 0)
      to[unknown] = math.mul(count, e.size(*number / *divisor));
    else
      to[unknown] = math.floorDiv(math.mul(count, factor), known);
    // What the result type says is better than a size computed at run time.
    RankedTensorType type = e.tensorType(op.getType());
    if (type && !type.isDynamicDim(unknown))
      to[unknown] = e.size(type.getDimSize(unknown));
  }
  return e.set(op, e.reshape(x, to));
}

LogicalResult transpose(tosa::TransposeOp op, Translator &e) {
  SmallVector<int64_t> permutation(op.getPerms().begin(), op.getPerms().end());
  return e.set(op, e.transpose(e.get(op.getInput1()), permutation));
}

LogicalResult reverse(tosa::ReverseOp op, Translator &e) {
  Value x = e.get(op.getInput1());
  return e.set(op, prim::RevOp::create(e.b, x.getType(), x,
                                       ArrayRef<int64_t>{op.getAxis()}));
}

LogicalResult concat(tosa::ConcatOp op, Translator &e) {
  SmallVector<Value> values;
  for (Value operand : op.getInput1())
    values.push_back(e.get(operand));
  return e.set(op, e.concat(values, op.getAxis()));
}

LogicalResult slice(tosa::SliceOp op, Translator &e) {
  Value x = e.get(op.getInput1());
  auto starts = e.getConstantSizes(op.getStart());
  auto sizes = e.getConstantSizes(op.getSize());
  if (!starts || !sizes)
    return e.unsupported(op, "has a start or a size that is not a constant");
  for (auto [dim, start] : llvm::enumerate(*starts)) {
    int64_t limit = (*sizes)[dim] < 0 ? -1 : start + (*sizes)[dim];
    int64_t extent = e.typeOf(x).getDimSize(dim);
    if (start < 0 ||
        (limit >= 0 && ShapedType::isStatic(extent) && limit > extent))
      return e.unsupported(op, "leaves its operand in dimension " + Twine(dim));
    x = e.sliceDim(x, dim, start, limit);
  }
  return e.set(op, x);
}

LogicalResult pad(tosa::PadOp op, Translator &e) {
  Value x = e.get(op.getInput1());
  auto padding = e.getConstantSizes(op.getPadding());
  std::optional<TypedAttr> value = e.splatOf(e.get(op.getPadConst()));
  if (!padding)
    return e.unsupported(op, "has padding that is not a constant");
  RankedTensorType type = e.typeOf(x);
  SmallVector<int64_t> low, high, shape;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    low.push_back((*padding)[2 * dim]);
    high.push_back((*padding)[2 * dim + 1]);
    if (low.back() < 0 || high.back() < 0)
      return e.unsupported(op, "has negative padding");
    shape.push_back(ShapedType::isDynamic(extent)
                        ? extent
                        : extent + low.back() + high.back());
  }
  // A value from an operand: pad with zeros, then put it where nothing was.
  auto padWith = [&](Value operand, TypedAttr attr) -> Value {
    return prim::PadOp::create(e.b, e.typeOf(operand).clone(shape), operand,
                               low, high, attr);
  };
  if (value)
    return e.set(op, padWith(x, *value));
  Value inside = padWith(e.integer(1, x, e.b.getI8Type()),
                         integerAttr(e.b.getI8Type(), 0));
  Value padded = padWith(x, numberAttr(e.elementOf(x), 0));
  Value fill =
      e.broadcastInDim(e.reshape(e.get(op.getPadConst()), ArrayRef<int64_t>{}),
                       {}, e.sizesOf(padded));
  return e.set(op, e.where(e.convert(inside, e.b.getI1Type()), padded, fill));
}

/// [a, b] repeated m, n times is [m, a, n, b], reshaped.
LogicalResult tile(tosa::TileOp op, Translator &e) {
  Value x = e.get(op.getInput1());
  Sizes multiples = e.getSizes(op.getMultiples());
  Sizes sizes = e.sizesOf(x), spread, result;
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> times = getConstantIntValue(multiples[dim]);
    if (times && *times < 0)
      return e.unsupported(op, "has a multiple that is not known");
    if (times != 1)
      spread.push_back(multiples[dim]);
    dims.push_back(spread.size());
    spread.push_back(size);
    result.push_back(e.sizeMath().mul(size, multiples[dim]));
  }
  if (spread.size() == sizes.size())
    return e.set(op, x);
  return e.set(op, e.reshape(e.broadcastInDim(x, dims, spread), result));
}

} // namespace

void addMovementRules(Rules &rules) {
  rules.add<tosa::ReshapeOp>(reshape);
  rules.add<tosa::TransposeOp>(transpose);
  rules.add<tosa::ReverseOp>(reverse);
  rules.add<tosa::ConcatOp>(concat);
  rules.add<tosa::SliceOp>(slice);
  rules.add<tosa::PadOp>(pad);
  rules.add<tosa::TileOp>(tile);
}

} // namespace kiln::tensor_to_prim

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rescaling and tables.
#include "Rules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// What TOSA forbids and has no one meaning: 48 bits times 32 do not fit 64.
/// Unsigned values of any width have, and older files are full of them.
LogicalResult checkRescale(tosa::RescaleOp op, Translator &e) {
  Type type = getElementTypeOrSelf(op.getInput().getType());
  unsigned width = type.getIntOrFloatBitWidth();
  if (width > 32 && op.getScale32())
    return e.unsupported(op, "has multipliers of 32 bits for operands of " +
                                 Twine(width));
  return success();
}

/// value * multiplier / 2^shift on i64, rounded half up; with `twice` as TOSA's
/// double rounding does it.
Value scaled(Value value, Value multiplier, Value shift, bool twice,
             Translator &e) {
  Value one = e.integer(1, value), zero = e.integer(0, value);
  Value round = e.binary<prim::ShiftLeftOp>(one, e.sub(shift, one));
  if (twice) {
    Value up = e.integer(int64_t(1) << 30, value);
    Value extra = e.where(e.compare<prim::GeOp>(value, zero), up,
                          e.unary<prim::NegOp>(up));
    Value large = e.compare<prim::GtOp>(shift, e.integer(31, value));
    round = e.add(round, e.where(large, extra, zero));
  }
  Value sum = e.add(e.mul(value, multiplier), round);
  return e.binary<prim::ShiftRightArithmeticOp>(sum, shift);
}

/// Rescaling by parameters that are computed, one step after the other.
LogicalResult rescaleComputed(tosa::RescaleOp op, bool inUnsigned,
                              bool outUnsigned, Translator &e) {
  Type wide = e.b.getI64Type();
  Value x = e.get(op.getInput());
  Sizes sizes = e.sizesOf(x);
  int64_t rank = e.typeOf(x).getRank();
  // One parameter for all elements, or one for each channel.
  auto spread = [&](Value parameter, bool isUnsigned) -> Value {
    Value value = e.convert(e.get(parameter), wide, false, isUnsigned);
    RankedTensorType type = e.typeOf(value);
    if (type.getRank() == 1 && type.getDimSize(0) != 1 && rank > 0)
      return e.broadcastInDim(value, {rank - 1}, sizes);
    if (!type.hasStaticShape() || type.getNumElements() != 1)
      return {};
    return e.broadcastInDim(e.reshape(value, ArrayRef<int64_t>()), {}, sizes);
  };
  Value multiplier = spread(op.getMultiplier(), false),
        shift = spread(op.getShift(), false),
        inZp = spread(op.getInputZp(), inUnsigned),
        outZp = spread(op.getOutputZp(), outUnsigned);
  if (!multiplier || !shift || !inZp || !outZp)
    return e.unsupported(op, "has parameters of a shape that is not known");
  Value value = e.sub(e.convert(x, wide, false, inUnsigned), inZp);
  bool twice = op.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND;
  Value result = e.add(scaled(value, multiplier, shift, twice, e), outZp);
  Type element = e.tensorType(op.getType()).getElementType();
  Type to = getElementTypeOrSelf(op.getType());
  unsigned width = to.getIntOrFloatBitWidth();
  int64_t low = outUnsigned ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (outUnsigned ? width : width - 1)) - 1;
  return e.set(op, e.convert(e.clampTo(result, low, high), element));
}

LogicalResult rescale(tosa::RescaleOp op, Translator &e) {
  Value x = e.get(op.getInput());
  if (!isa<IntegerType>(e.elementOf(x)))
    return e.unsupported(op, "on floats");
  RankedTensorType type = e.tensorType(op.getType());
  if (!type || !isa<IntegerType>(type.getElementType()))
    return e.unsupported(op,
                         "has a result of type " + Twine(text(op.getType())));
  bool inUnsigned =
      op.getInputUnsigned() || isUnsigned(op.getInput().getType());
  bool outUnsigned = op.getOutputUnsigned() || isUnsigned(op.getType());
  if (failed(checkRescale(op, e)))
    return failure();
  auto multipliers = e.integersOf(e.get(op.getMultiplier()));
  auto shifts = e.integersOf(e.get(op.getShift()));
  auto inZp = e.integersOf(e.get(op.getInputZp()), inUnsigned);
  auto outZp = e.integersOf(e.get(op.getOutputZp()), outUnsigned);
  if (!multipliers || !shifts || !inZp || !outZp)
    return rescaleComputed(op, inUnsigned, outUnsigned, e);
  // A multiplier for each of one channel is one multiplier.
  SmallVector<int32_t> multiplier(multipliers->begin(), multipliers->end());
  SmallVector<int8_t> shift(shifts->begin(), shifts->end());
  for (int8_t amount : shift)
    if (amount < 2 || amount > 62)
      return e.unsupported(op, "has a shift of " + Twine(int(amount)) +
                                   ", outside of [2, 62]");
  for (int32_t factor : multiplier)
    if (factor < 0)
      return e.unsupported(op, "has a negative multiplier");
  prim::Rounding rounding = prim::Rounding::single;
  if (op.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND)
    rounding = prim::Rounding::double_;
  else if (op.getRoundingMode() == tosa::RoundingMode::INEXACT_ROUND)
    rounding = prim::Rounding::inexact;
  if (rounding == prim::Rounding::double_ && !op.getScale32())
    return e.unsupported(op, "rounds twice with multipliers of 16 bits");
  RankedTensorType result = e.typeOf(x).clone(type.getElementType());
  return e.set(op, prim::RescaleOp::create(e.b, result, x, multiplier, shift,
                                           inZp->front(), outZp->front(),
                                           rounding, op.getScale32(),
                                           inUnsigned, outUnsigned));
}

LogicalResult table(tosa::TableOp op, Translator &e) {
  Value x = e.get(op.getInput1()), entries = e.get(op.getTable());
  Type element = e.elementOf(x);
  bool narrow = element.isInteger(8);
  if ((!narrow && !element.isInteger(16)) || e.elementOf(entries) != element ||
      !e.typeOf(entries).hasStaticShape() ||
      e.typeOf(entries).getNumElements() != (narrow ? 256 : 513))
    return e.unsupported(op, "is for 256 entries of i8 or 513 of i16");
  Type result = narrow ? Type(e.b.getI8Type()) : Type(e.b.getI32Type());
  return e.set(
      op, prim::TableOp::create(e.b, e.typeOf(x).clone(result), x, entries));
}

/// One scaled value, as it appears in bodies of linalg.
LogicalResult applyScale(tosa::ApplyScaleOp op, Translator &e) {
  Type wide = e.b.getI64Type();
  Value value = e.convert(e.get(op.getValue()), wide);
  Value multiplier = e.convert(e.get(op.getMultiplier()), wide);
  Value shift = e.convert(e.get(op.getShift()), wide);
  bool twice = op.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND;
  Value result = scaled(value, multiplier, shift, twice, e);
  return e.set(
      op, e.convert(result, primElement(getElementTypeOrSelf(op.getType()))));
}

} // namespace

void addQuantRules(Rules &rules) {
  rules.add<tosa::RescaleOp>(rescale);
  rules.add<tosa::TableOp>(table);
  rules.add<tosa::ApplyScaleOp>(applyScale);
}

} // namespace kiln::tensor_to_prim

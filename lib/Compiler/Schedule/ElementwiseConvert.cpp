//===- ElementwiseConvert.cpp - Conversions, rescaling, comparisons -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementRules.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Float to integer: saturated, NaN gives 0, and nothing outside of the range
/// reaches the conversion itself.
static Value floatToInteger(TileMath &t, prim::ConvertElementTypeOp op, Value x,
                            Type to) {
  x = t.widen(x);
  unsigned width = to.getIntOrFloatBitWidth();
  bool isUnsigned = op.getToUnsigned();
  Value whole =
      op.getRound() ? t.make<math::RoundEvenOp>(x) : t.make<math::TruncOp>(x);
  double top = std::ldexp(1.0, isUnsigned ? width : width - 1);
  Value high = t.real(x, top), low = t.real(x, isUnsigned ? 0.0 : -top);
  using P = arith::CmpFPredicate;
  Value above = t.compare(P::OGE, whole, high);
  Value below = t.compare(P::OLT, whole, low);
  Value inside =
      t.both(t.compare(P::OLT, whole, high), t.compare(P::OGE, whole, low));
  Value safe = t.select(inside, whole, t.real(x, 0.0));
  Type type = t.as(x, to);
  Value result = isUnsigned ? t.make<arith::FPToUIOp>(type, safe)
                            : t.make<arith::FPToSIOp>(type, safe);
  auto constant = [&](const APInt &value) {
    return t.splat(result, t.b.getIntegerAttr(to, value));
  };
  result = t.select(above,
                    constant(isUnsigned ? APInt::getMaxValue(width)
                                        : APInt::getSignedMaxValue(width)),
                    result);
  return t.select(below,
                  constant(isUnsigned ? APInt::getMinValue(width)
                                      : APInt::getSignedMinValue(width)),
                  result);
}

Value kiln::schedule::emitConvertTile(prim::ConvertElementTypeOp op, Value x,
                                      OpBuilder &builder) {
  TileMath t{builder, op.getLoc()};
  Type from = t.element(x);
  Type to = cast<RankedTensorType>(op.getResult().getType()).getElementType();
  Type type = t.as(x, to);
  if (from == to)
    return x;
  // Formats of 8 bits need not hold each other's numbers, nor those of scales
  // fit 16 bits, and none is for integers.
  if (isa<FloatType>(from) && from.getIntOrFloatBitWidth() <= 8) {
    bool isDirect = isa<FloatType>(to) && to.getIntOrFloatBitWidth() > 8 &&
                    !isa<Float8E8M0FNUType>(from);
    if (!isDirect) {
      x = t.widen(x);
      from = t.element(x);
      if (from == to)
        return x;
    }
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (to.isInteger(1))
    return fromFloat ? t.compare(arith::CmpFPredicate::UNE, x, t.real(x, 0.0))
                     : t.compare(arith::CmpIPredicate::ne, x, t.integer(x, 0));
  bool isUnsigned = from.isInteger(1) || op.getFromUnsigned();
  if (fromFloat && toFloat) {
    if (fromWidth == toWidth)
      return t.narrow(t.widen(x), to);
    return fromWidth < toWidth ? t.make<arith::ExtFOp>(type, x)
                               : t.make<arith::TruncFOp>(type, x);
  }
  if (fromFloat)
    return floatToInteger(t, op, x, to);
  if (toFloat)
    return isUnsigned ? t.make<arith::UIToFPOp>(type, x)
                      : t.make<arith::SIToFPOp>(type, x);
  if (fromWidth > toWidth)
    return t.make<arith::TruncIOp>(type, x);
  return isUnsigned ? t.make<arith::ExtUIOp>(type, x)
                    : t.make<arith::ExtSIOp>(type, x);
}

Value kiln::schedule::emitRescaleTile(prim::RescaleOp op, Value operand,
                                      Value multiplier, Value shift,
                                      OpBuilder &builder) {
  TileMath t{builder, op.getLoc()};
  Type wide = t.as(operand, builder.getI64Type());
  Type to = cast<RankedTensorType>(op.getResult().getType()).getElementType();
  Value v = operand;
  if (!t.element(operand).isInteger(64))
    v = op.getInputUnsigned() ? t.make<arith::ExtUIOp>(wide, operand)
                              : t.make<arith::ExtSIOp>(wide, operand);
  if (int64_t zero = static_cast<int32_t>(op.getInputZp()))
    v = t.make<arith::SubIOp>(v, t.integer(v, zero));
  Value one = t.integer(v, 1);
  Value round = t.make<arith::ShLIOp>(one, t.make<arith::SubIOp>(shift, one));
  if (op.getRounding() == prim::Rounding::double_) {
    Value more = t.make<arith::AddIOp>(round, t.integer(v, 1 << 30));
    Value less = t.make<arith::SubIOp>(round, t.integer(v, 1 << 30));
    using P = arith::CmpIPredicate;
    Value adjusted =
        t.select(t.compare(P::sge, v, t.integer(v, 0)), more, less);
    round =
        t.select(t.compare(P::sgt, shift, t.integer(v, 31)), adjusted, round);
  }
  Value product = t.make<arith::MulIOp>(v, multiplier);
  Value result =
      t.make<arith::ShRSIOp>(t.make<arith::AddIOp>(product, round), shift);
  if (int64_t zero = static_cast<int32_t>(op.getOutputZp()))
    result = t.make<arith::AddIOp>(result, t.integer(v, zero));
  unsigned width = to.getIntOrFloatBitWidth();
  if (width == 64)
    return result;
  bool isUnsigned = op.getOutputUnsigned();
  int64_t low = isUnsigned ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  result = t.make<arith::MaxSIOp>(result, t.integer(v, low));
  result = t.make<arith::MinSIOp>(result, t.integer(v, high));
  return t.make<arith::TruncIOp>(t.as(result, to), result);
}

namespace {
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;
/// How a comparison compares floats, integers, and unsigned ones.
struct Predicates {
  F real;
  I integer, natural;
};
} // namespace

static const OpTable<Predicates> &comparisons() {
  static const OpTable<Predicates> predicates =
      OpTable<Predicates>()
          .add<prim::EqOp>({F::OEQ, I::eq, I::eq})
          .add<prim::NeOp>({F::UNE, I::ne, I::ne})
          .add<prim::LtOp>({F::OLT, I::slt, I::ult})
          .add<prim::LeOp>({F::OLE, I::sle, I::ule})
          .add<prim::GtOp>({F::OGT, I::sgt, I::ugt})
          .add<prim::GeOp>({F::OGE, I::sge, I::uge});
  return predicates;
}

Value kiln::schedule::emitCompareTile(Operation *op, ValueRange operands,
                                      OpBuilder &builder) {
  TileMath t{builder, op->getLoc()};
  Predicates p = comparisons().find(op);
  Type element = t.element(operands[0]);
  if (isa<FloatType>(element))
    return t.compare(p.real, operands[0], operands[1]);
  bool isUnsigned = element.isInteger(1) || op->hasAttr("is_unsigned");
  return t.compare(isUnsigned ? p.natural : p.integer, operands[0],
                   operands[1]);
}

Value kiln::schedule::emitElementwiseTile(Operation *op, ValueRange operands,
                                          OpBuilder &builder) {
  if (auto convert = dyn_cast<prim::ConvertElementTypeOp>(op))
    return emitConvertTile(convert, operands[0], builder);
  if (isa<prim::BitcastOp>(op)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return arith::BitcastOp::create(
        builder, op->getLoc(), TileMath::as(operands[0], type.getElementType()),
        operands[0]);
  }
  if (prim::getElementFunction(op) == prim::ElementFunction::Select)
    return arith::SelectOp::create(builder, op->getLoc(), operands[0],
                                   operands[1], operands[2]);
  if (comparisons().has(op))
    return emitCompareTile(op, operands, builder);
  return isa<FloatType>(TileMath::element(operands[0]))
             ? emitFloatTile(op, operands, builder)
             : emitIntegerTile(op, operands, builder);
}

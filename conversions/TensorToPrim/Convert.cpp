// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of arith.
#include "Narrow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// The element type of the result, or null after a report.
Type resultElement(Operation *op, Translator &e) {
  Type type = op->getResult(0).getType();
  Type element =
      isa<VectorType>(type) ? Type() : primElement(getElementTypeOrSelf(type));
  if (!element)
    (void)e.unsupported(op, "has a result of type " + Twine(text(type)));
  return element;
}

/// A conversion that prim has under the same rules.
template <typename Op, bool fromUnsigned, bool toUnsigned>
LogicalResult convert(Op op, Translator &e) {
  Type element = resultElement(op, e);
  if (!element)
    return failure();
  Value x = e.get(op.getIn());
  if (fromUnsigned)
    x = clearSpare(op.getIn().getType(), x, e);
  bool isBool = e.elementOf(x).isInteger(1);
  return e.set(
      op, e.convert(x, element, false, fromUnsigned && !isBool, toUnsigned));
}

/// What does not fit is anything; it wraps, as it does where machines convert
/// to words and keep the low bits.
template <typename Op, bool toUnsigned>
LogicalResult fromFloat(Op op, Translator &e) {
  Type element = resultElement(op, e);
  if (!element)
    return failure();
  Value x = e.get(op.getIn());
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1 || width >= 32)
    return e.set(op,
                 wrapTo(op.getType(),
                        e.convert(x, element, false, false, toUnsigned), e));
  Value whole = e.convert(x, e.b.getI32Type());
  return e.set(op, wrapTo(op.getType(), e.convert(whole, element), e));
}

/// A truth value read as a signed number: 0 or -1.
template <typename Op> LogicalResult fromSigned(Op op, Translator &e) {
  Type element = resultElement(op, e);
  if (!element)
    return failure();
  Value x = e.get(op.getIn());
  Value wide = e.convert(x, element);
  return e.set(op,
               e.elementOf(x).isInteger(1) ? e.unary<prim::NegOp>(wide) : wide);
}

/// Keeps the low bits; a truth value is the lowest bit.
LogicalResult trunci(arith::TruncIOp op, Translator &e) {
  Type element = resultElement(op, e);
  if (!element)
    return failure();
  Value x = e.get(op.getIn());
  if (element.isInteger(1))
    x = e.binary<prim::BitwiseAndOp>(x, e.integer(1, x));
  return e.set(op, wrapTo(op.getType(), e.convert(x, element), e));
}

/// Between sizes and numbers.
template <typename Op, bool isUnsigned>
LogicalResult indexCast(Op op, Translator &e) {
  Type element = resultElement(op, e);
  Value x = element ? e.get(op.getIn()) : Value();
  if (!x)
    return failure();
  if (isUnsigned)
    x = clearSpare(op.getIn().getType(), x, e);
  Type type = op.getType();
  if (isa<IndexType>(type) && !e.body)
    if (auto number = e.integersOf(x, isUnsigned)) {
      e.setSizes(op, {e.size(number->front())});
      return success();
    }
  // A position that is computed stays a tensor of rank 0.
  bool isBool = e.elementOf(x).isInteger(1);
  Value wide =
      wrapTo(type, e.convert(x, element, false, isUnsigned && !isBool), e);
  return e.set(op, isBool && !isUnsigned ? e.unary<prim::NegOp>(wide) : wide);
}

} // namespace

void addConvertRules(Rules &rules) {
  rules.add<arith::ExtFOp>(convert<arith::ExtFOp, false, false>);
  rules.add<arith::TruncFOp>(convert<arith::TruncFOp, false, false>);
  rules.add<arith::ExtUIOp>(convert<arith::ExtUIOp, true, false>);
  rules.add<arith::UIToFPOp>(convert<arith::UIToFPOp, true, false>);
  rules.add<arith::FPToSIOp>(fromFloat<arith::FPToSIOp, false>);
  rules.add<arith::FPToUIOp>(fromFloat<arith::FPToUIOp, true>);
  rules.add<arith::ExtSIOp>(fromSigned<arith::ExtSIOp>);
  rules.add<arith::SIToFPOp>(fromSigned<arith::SIToFPOp>);
  rules.add<arith::TruncIOp>(trunci);
  rules.add<arith::IndexCastOp>(indexCast<arith::IndexCastOp, false>);
  rules.add<arith::IndexCastUIOp>(indexCast<arith::IndexCastUIOp, true>);
}

} // namespace kiln::tensor_to_prim

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on the bits of elements, and on numbers of twice their width.
#include "Narrow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

/// The upper half of a product of 64 bits, by the products of the halves.
static Value upperProduct(Value x, Value y, bool isUnsigned, Translator &e) {
  Value low = e.integer(0xffffffff, x), by = e.integer(32, x);
  auto lower = [&](Value v) { return e.binary<prim::BitwiseAndOp>(v, low); };
  auto upper = [&](Value v) {
    return e.binary<prim::ShiftRightLogicalOp>(v, by);
  };
  Value first = e.mul(upper(x), lower(y)), second = e.mul(lower(x), upper(y));
  Value middle = e.add(upper(e.mul(lower(x), lower(y))),
                       e.add(lower(first), lower(second)));
  Value high = e.add(e.add(e.mul(upper(x), upper(y)), upper(middle)),
                     e.add(upper(first), upper(second)));
  if (isUnsigned)
    return high;
  Value zero = e.integer(0, x);
  auto ifNegative = [&](Value sign, Value v) {
    return e.where(e.compare<prim::LtOp>(sign, zero), v, zero);
  };
  return e.sub(e.sub(high, ifNegative(x, y)), ifNegative(y, x));
}

Value highProduct(Value x, Value y, bool isUnsigned, Translator &e) {
  Type element = e.elementOf(x);
  if (element.isInteger(64))
    return upperProduct(x, y, isUnsigned, e);
  auto wide = [&](Value v) {
    return e.convert(v, e.b.getI64Type(), false, isUnsigned);
  };
  Value product = e.mul(wide(x), wide(y));
  Value by = e.integer(element.getIntOrFloatBitWidth(), product);
  return e.convert(e.binary<prim::ShiftRightArithmeticOp>(product, by),
                   element);
}

namespace {

/// Bits as another type of the same width.
template <typename Op> LogicalResult bitcast(Op op, Translator &e) {
  Type to = op.getType(), from = op->getOperand(0).getType();
  Value x = e.get(op->getOperand(0));
  if (!x)
    return failure();
  Type element =
      isa<VectorType>(to) ? Type() : primElement(getElementTypeOrSelf(to));
  if (element && element == e.elementOf(x))
    return e.set(op, x);
  if (!element || spareBits(to) || spareBits(from))
    return e.unsupported(op, "between " + Twine(text(from)) + " and " +
                                 Twine(text(to)));
  return e.set(op, prim::BitcastOp::create(e.b, e.typeOf(x).clone(element), x));
}

/// The operands of an operation on integers, of one shape; none after a report.
FailureOr<SmallVector<Value>> operands(Operation *op, Translator &e) {
  SmallVector<Value> values;
  for (Value operand : op->getOperands()) {
    if (isa<VectorType>(operand.getType()))
      return e.unsupported(op, "on vectors");
    values.push_back(e.get(operand));
    if (!values.back())
      return failure();
  }
  if (spareBits(op->getOperand(0).getType()))
    return e.unsupported(op, "on " + Twine(text(op->getOperand(0).getType())));
  if (failed(e.broadcastTogether(op, values)))
    return failure();
  return values;
}

template <typename Op, bool isUnsigned>
LogicalResult mulExtended(Op op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  if (e.elementOf((*x)[0]).isInteger(1))
    return e.unsupported(op, "on i1");
  return success(succeeded(e.set(op.getLow(), e.mul((*x)[0], (*x)[1]))) &&
                 succeeded(e.set(op.getHigh(), highProduct((*x)[0], (*x)[1],
                                                           isUnsigned, e))));
}

/// A sum overflows where it is below an operand; of truth values, where both
/// are true.
LogicalResult addExtended(arith::AddUIExtendedOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  Value sum = e.add((*x)[0], (*x)[1]), overflow;
  if (e.elementOf(sum).isInteger(1)) {
    overflow = e.binary<prim::BitwiseAndOp>((*x)[0], (*x)[1]);
  } else {
    unsigned width = e.elementOf(sum).getIntOrFloatBitWidth();
    Value top = e.integer(int64_t(uint64_t(1) << (width - 1)), sum);
    overflow =
        e.compare<prim::LtOp>(e.binary<prim::BitwiseXorOp>(sum, top),
                              e.binary<prim::BitwiseXorOp>((*x)[0], top));
  }
  return success(succeeded(e.set(op.getSum(), sum)) &&
                 succeeded(e.set(op.getOverflow(), overflow)));
}

/// The zeros below the lowest one are the ones of ~x & (x - 1).
LogicalResult cttz(math::CountTrailingZerosOp op, Translator &e) {
  auto x = operands(op, e);
  if (failed(x))
    return failure();
  Value inverse = e.unary<prim::BitwiseNotOp>((*x)[0]);
  if (e.elementOf(inverse).isInteger(1))
    return e.set(op, inverse);
  Value less = e.sub((*x)[0], e.integer(1, (*x)[0]));
  return e.set(op, e.unary<prim::PopulationCountOp>(
                       e.binary<prim::BitwiseAndOp>(inverse, less)));
}

} // namespace

void addBitRules(Rules &rules) {
  rules.add<arith::BitcastOp>(bitcast<arith::BitcastOp>);
  rules.add<tensor::BitcastOp>(bitcast<tensor::BitcastOp>);
  rules.add<arith::MulUIExtendedOp>(mulExtended<arith::MulUIExtendedOp, true>);
  rules.add<arith::MulSIExtendedOp>(mulExtended<arith::MulSIExtendedOp, false>);
  rules.add<arith::AddUIExtendedOp>(addExtended);
  rules.add<math::CountTrailingZerosOp>(cttz);
}

} // namespace kiln::tensor_to_prim

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types, and values handed on.
#include "Node.h"

#include "kiln/Dialect/Prim/Shape.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

/// Powers of two near positive floats, as round_mode has it: up, down, or
/// nearest.
static Value roundToPower(Node &n, Value x) {
  StringRef mode = n.getString("round_mode", "up");
  Type i32 = n.e.b.getI32Type();
  auto number = [&](int64_t value) {
    return n.e.full(n.e.b.getI32IntegerAttr(value), {});
  };
  x = n.f32(x);
  Value bits = prim::BitcastOp::create(n.e.b, n.e.typeOf(x).clone(i32), x);
  if (mode != "down") // what is added reaches the exponent
    bits = n.add(bits, number(mode == "up" ? 0x7fffff : 0x400000));
  bits = n.both(bits, number(0x7f800000));
  return n.broken ? x
                  : Value(prim::BitcastOp::create(n.e.b, x.getType(), bits));
}

Value castTo(Node &n, Value x, Type element, bool fromUnsigned) {
  if (isa_and_present<Float8E8M0FNUType>(element) &&
      isa<FloatType>(n.e.elementOf(x)) && n.e.elementOf(x) != element)
    return n.cast(roundToPower(n, x), element);
  auto real = dyn_cast_if_present<FloatType>(element);
  if (real && prim::isSmallFloat(real) && n.e.elementOf(x) != element &&
      n.getInt("saturate", 1)) {
    APFloat largest = APFloat::getLargest(real.getFloatSemantics());
    x = n.cast(x, n.e.b.getF32Type(), fromUnsigned);
    x = n.clamp(x, -largest.convertToDouble(), largest.convertToDouble());
  }
  x = n.cast(x, element, fromUnsigned);
  auto integer = dyn_cast_if_present<IntegerType>(element);
  if (!x || !integer || integer.getWidth() == 1 || integer.getWidth() >= 8 ||
      integer.isSignless())
    return x;
  // Of integers that lie in a byte the low bits are kept.
  unsigned width = integer.getWidth();
  auto number = [&](int64_t value) {
    return n.e.full(tensor_to_prim::integerAttr(n.e.elementOf(x), value), {});
  };
  if (integer.isUnsigned())
    return n.both(x, number((1 << width) - 1));
  return n.binary<prim::ShiftRightArithmeticOp>(
      n.binary<prim::ShiftLeftOp>(x, number(8 - width)), number(8 - width));
}

namespace {

LogicalResult cast(Node &n) {
  Type element = n.dataType(n.getInt("to", 0));
  return n.broken ? failure()
                  : n.set(castTo(n, n.in(0), element, n.isUnsigned(0)));
}

LogicalResult castLike(Node &n) {
  return n.set(castTo(n, n.in(0), n.elementIn(1), n.isUnsigned(0)));
}

/// BitCast: the same bits as another type of the same width.
LogicalResult bitCast(Node &n) {
  Type element = n.dataType(n.getInt("to", 0));
  Type to = element ? tensor_to_prim::primElement(element) : Type();
  Value x = n.in(0);
  // A truth value takes a byte.
  Type from = n.e.elementOf(x), byte = n.e.b.getI8Type();
  if (to && (from.isInteger(1) || to.isInteger(1)) &&
      (from == byte || to == byte))
    return n.set(n.e.convert(x, to));
  if (!to ||
      n.e.elementOf(x).getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return n.broken ? failure() : n.fail("changes the width of elements");
  if (to == n.e.elementOf(x))
    return n.set(x);
  return n.set(prim::BitcastOp::create(n.e.b, n.e.typeOf(x).clone(to), x));
}

LogicalResult identity(Node &n) {
  n.e.share(n.op.getOperands().take_front(1), n.op.getResults());
  return success();
}

/// Optional: of no input it holds nothing.
LogicalResult optional(Node &n) {
  if (n.has(0))
    return identity(n);
  n.e.alias(n.op.getResult(0), Value());
  return success();
}

/// OptionalHasElement: whether there is one is known from the types.
LogicalResult optionalHasElement(Node &n) {
  return n.set(n.e.full(n.e.b.getIntegerAttr(n.e.b.getI1Type(), n.has(0)), {}));
}

} // namespace

void addConvertRules(NodeRules &rules) {
  rules.add("Cast", cast);
  rules.add("CastLike", castLike);
  rules.add("BitCast", bitCast);
  rules.add("Identity", identity);
  rules.add("Optional", optional, 0);
  rules.add("OptionalGetElement", identity);
  rules.add("OptionalHasElement", optionalHasElement, 0);
}

} // namespace kiln::onnx_to_prim

//===- Elementwise.cpp - arith and math on registers ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MathFunctions.h"
#include "RegisterBuilder.h"
#include "SmallFloats.h"
#include "kiln/Math/Divisions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// Type like `like` (vector or scalar) with another element type.
static Type typeLike(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  return element;
}

/// A copy of `op` on registers.
static Value cloneOnto(OpBuilder &b, Location loc, Operation *op,
                       ValueRange operands, Type result) {
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addTypes(result);
  state.addAttributes(op->getAttrs());
  return b.create(state)->getResult(0);
}

/// Changes of signs on the bits of 16-bit floats: NaN keep theirs.
static Value changeSign(OpBuilder &b, Location loc, Operation *op,
                        ValueRange operands) {
  Type type = operands[0].getType();
  auto constant = [&](uint64_t bits) -> Value {
    // Not getI16IntegerAttr, which leaves bits beyond 16 of what is negative.
    TypedAttr attr = b.getIntegerAttr(b.getI16Type(), APInt(16, bits));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, loc, type, attr);
  };
  if (isa<arith::NegFOp>(op))
    return arith::XOrIOp::create(b, loc, operands[0], constant(0x8000));
  Value size = arith::AndIOp::create(b, loc, operands[0], constant(0x7fff));
  if (isa<math::AbsFOp>(op))
    return size;
  Value sign = arith::AndIOp::create(b, loc, operands[1], constant(0x8000));
  return arith::OrIOp::create(b, loc, size, sign);
}

/// A 64-bit integer that f64 holds and that rounds to the same bf16: of those
/// beyond 2^53, bits far below bf16's last place become one, which says whether
/// there are any.
static Value heldByDouble(OpBuilder &b, Location loc, Value x, bool isSigned) {
  auto number = [&](uint64_t value) -> Value {
    TypedAttr attr = b.getI64IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  };
  const uint64_t held = uint64_t(1) << 53;
  Value from = isSigned ? arith::AddIOp::create(b, loc, x, number(held)) : x;
  Value isHeld = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, from,
                                       number(isSigned ? 2 * held : held));
  Value rest = arith::AndIOp::create(b, loc, x, number(0xfff));
  Value isAny =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest, number(0));
  Value cut = arith::OrIOp::create(
      b, loc, arith::SubIOp::create(b, loc, x, rest),
      arith::SelectOp::create(b, loc, isAny, number(0x800), number(0)));
  return arith::SelectOp::create(b, loc, isHeld, x, cut);
}

Value RegisterBuilder::emitElementwise(Operation *op, ValueRange given) {
  SmallVector<Value> operands(given);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Type shape =
      operands.empty() ? Type(b.getI1Type()) : operands.back().getType();
  Type result = typeLike(shape, registerElement(element));
  bool narrow = isSmallFloat(element);

  if (isa<arith::SelectOp>(op)) // of pointers, too
    return cloneOnto(b, loc, op, operands, operands[1].getType());
  if (isa<arith::BitcastOp>(op))
    return operands[0].getType() == result
               ? operands[0]
               : cloneOnto(b, loc, op, operands, result);
  if (isa<arith::TruncFOp>(op) && narrow)
    return narrowFloat(b, loc, operands[0], element);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && narrow) {
    // Through f64, which holds every 32-bit integer, with one rounding.
    Type wide = typeLike(result, b.getF64Type());
    bool isSigned = isa<arith::SIToFPOp>(op);
    Value x = operands[0];
    if (element.isBF16() && getElementTypeOrSelf(x.getType()).isInteger(64))
      x = heldByDouble(b, loc, x, isSigned);
    Value exact = isSigned ? Value(arith::SIToFPOp::create(b, loc, wide, x))
                           : Value(arith::UIToFPOp::create(b, loc, wide, x));
    return narrowFloat(b, loc, exact, element);
  }

  if (narrow && isa<arith::NegFOp, math::AbsFOp, math::CopySignOp>(op))
    return changeSign(b, loc, op, operands);

  // 16-bit floats are computed with in f32 and rounded after each operation.
  for (auto [operand, original] :
       llvm::zip_equal(operands, op->getOperands())) {
    Type from = getElementTypeOrSelf(original.getType());
    if (isSmallFloat(from))
      operand = widenFloat(b, loc, operand, from);
  }
  if (isa<arith::ExtFOp>(op) && operands[0].getType() == result)
    return operands[0];
  if (narrow)
    result = typeLike(result, b.getF32Type());
  if (functions::isDivision(op))
    return functions::emitDefinedDivision(
        b, loc, op, operands[0], operands[1], [&](Value divisor) {
          return cloneOnto(b, loc, op, {operands[0], divisor}, result);
        });

  Value value = emitMathFunction(b, loc, op, operands, result);
  if (!value)
    value = cloneOnto(b, loc, op, operands, result);
  if (contract &&
      isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(value.getDefiningOp()))
    value.getDefiningOp()->setAttr(
        "fastmath", arith::FastMathFlagsAttr::get(
                        b.getContext(), arith::FastMathFlags::contract));
  return narrow ? narrowFloat(b, loc, value, element) : value;
}

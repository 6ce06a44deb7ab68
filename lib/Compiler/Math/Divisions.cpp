//===- Divisions.cpp - Divisions of integers without traps ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Math/Divisions.h"
#include "kiln/Math/Lanes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;

using P = arith::CmpIPredicate;

static bool isSigned(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp>(op);
}

bool functions::isDivision(Operation *op) {
  return isSigned(op) ||
         isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
}

Value functions::emitDefinedDivision(OpBuilder &b, Location loc,
                                     Operation *division, Value dividend,
                                     Value divisor,
                                     llvm::function_ref<Value(Value)> divide) {
  APInt known;
  bool hasSign = isSigned(division);
  if (matchPattern(divisor, m_ConstantInt(&known)) && !known.isZero() &&
      !(hasSign && known.isAllOnes()))
    return divide(divisor);
  Type element = getElementTypeOrSelf(divisor.getType());
  Lanes lanes(b, loc, divisor.getType());
  auto number = [&](int64_t value) {
    return lanes.constant(b.getIntegerAttr(element, value));
  };
  auto compare = [&](P predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  Value one = number(1);
  // 0 and -1 are the numbers whose successor is at most 1.
  Value isBad =
      hasSign
          ? compare(P::ule, arith::AddIOp::create(b, loc, divisor, one), one)
          : compare(P::eq, divisor, number(0));
  Value result = divide(arith::SelectOp::create(b, loc, isBad, one, divisor));
  if (!hasSign || isa<arith::RemSIOp>(division))
    return result;
  Value negative = arith::SubIOp::create(b, loc, number(0), dividend);
  return arith::SelectOp::create(b, loc, compare(P::eq, divisor, number(-1)),
                                 negative, result);
}

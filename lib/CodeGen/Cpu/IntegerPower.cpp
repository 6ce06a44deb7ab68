//===- IntegerPower.cpp - Powers of integers on registers -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MathFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace kiln;

Value cpu::emitIntegerPower(OpBuilder &b, Location loc, Value base,
                            Value exponent) {
  Type type = base.getType(), element = getElementTypeOrSelf(type);
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  auto number = [&](int64_t value) -> Value {
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, loc, type, attr);
  };
  using P = arith::CmpIPredicate;
  auto compare = [&](P predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  Value zero = number(0), one = number(1), minusOne = number(-1);
  auto isOdd = [&](Value n) -> Value {
    return compare(P::ne, arith::AndIOp::create(b, loc, n, one), zero);
  };

  // By squaring, over all bits but the sign: lanes have different exponents.
  auto bound = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop = scf::ForOp::create(b, loc, bound(0), bound(bits - 1), bound(1),
                                 ValueRange{one, base, exponent});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value product = loop.getRegionIterArgs()[0],
          factor = loop.getRegionIterArgs()[1],
          left = loop.getRegionIterArgs()[2];
    Value more = arith::MulIOp::create(b, loc, product, factor);
    Value square = arith::MulIOp::create(b, loc, factor, factor);
    Value rest = arith::ShRUIOp::create(b, loc, left, one);
    scf::YieldOp::create(
        b, loc, ValueRange{select(isOdd(left), more, product), square, rest});
  }

  // The truncated quotient: of 1 and -1 only it is not 0.
  Value sign = select(isOdd(exponent), base, one);
  Value inverse = select(compare(P::eq, base, minusOne), sign, zero);
  inverse = select(compare(P::eq, base, one), one, inverse);
  return select(compare(P::slt, exponent, zero), inverse, loop.getResult(0));
}

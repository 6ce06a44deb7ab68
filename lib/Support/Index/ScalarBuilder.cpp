//===- ScalarBuilder.cpp - Index arithmetic that folds --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#include "kiln/Index/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::index;

/// Picks the overload for numbers: other headers have some for intervals.
using Fold = Integer (*)(int64_t, int64_t);

Integer kiln::index::getNumber(OpFoldResult scalar) {
  return getConstantIntValue(scalar);
}

ScalarBuilder::ScalarBuilder(OpBuilder &builder, Location loc, Type type)
    : builder(builder), loc(loc),
      type(type ? type : Type(builder.getIndexType())) {}

OpFoldResult ScalarBuilder::constant(int64_t value) {
  return builder.getIntegerAttr(type, value);
}

Value ScalarBuilder::makeConstant(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

Value ScalarBuilder::materialize(OpFoldResult scalar) {
  if (auto value = dyn_cast<Value>(scalar))
    return value;
  return makeConstant(*getNumber(scalar));
}

bool ScalarBuilder::fits(int64_t value) const {
  return type.isIndex() || llvm::isIntN(type.getIntOrFloatBitWidth(), value);
}

template <typename Op, typename FoldT>
OpFoldResult ScalarBuilder::emit(OpFoldResult a, OpFoldResult b, FoldT fold) {
  Integer x = getNumber(a), y = getNumber(b);
  if (x && y) {
    Integer known = fold(*x, *y);
    if (known && fits(*known))
      return constant(*known);
    constexpr bool isDivision =
        !llvm::is_one_of<Op, arith::AddIOp, arith::SubIOp,
                         arith::MulIOp>::value;
    overflowed |= !isDivision || *y == -1;
  }
  Value lhs = materialize(a), rhs = materialize(b);
  return Op::create(builder, loc, lhs, rhs).getResult();
}

OpFoldResult ScalarBuilder::add(OpFoldResult a, OpFoldResult b) {
  if (getNumber(a) == 0)
    return b;
  if (getNumber(b) == 0)
    return a;
  return emit<arith::AddIOp>(a, b, Fold(kiln::index::add));
}

OpFoldResult ScalarBuilder::sub(OpFoldResult a, OpFoldResult b) {
  if (getNumber(b) == 0)
    return a;
  if (a == b)
    return constant(0);
  return emit<arith::SubIOp>(a, b, Fold(kiln::index::sub));
}

OpFoldResult ScalarBuilder::mul(OpFoldResult a, OpFoldResult b) {
  Integer x = getNumber(a), y = getNumber(b);
  if (x == 0 || y == 1)
    return a;
  if (y == 0 || x == 1)
    return b;
  return emit<arith::MulIOp>(a, b, Fold(kiln::index::mul));
}

OpFoldResult ScalarBuilder::floorDiv(OpFoldResult a, OpFoldResult b) {
  if (getNumber(b) == 1)
    return a;
  return emit<arith::FloorDivSIOp>(a, b, Fold(kiln::index::floorDiv));
}

OpFoldResult ScalarBuilder::ceilDiv(OpFoldResult a, OpFoldResult b) {
  if (getNumber(b) == 1)
    return a;
  return emit<arith::CeilDivSIOp>(a, b, Fold(kiln::index::ceilDiv));
}

OpFoldResult ScalarBuilder::truncRem(OpFoldResult a, OpFoldResult b) {
  return emit<arith::RemSIOp>(a, b, Fold(kiln::index::truncRem));
}

/// Only where signed and unsigned agree.
template <Integer (*Fold)(int64_t, int64_t)>
static Integer ofPositive(int64_t a, int64_t b) {
  return a >= 0 && b > 0 ? Fold(a, b) : std::nullopt;
}

OpFoldResult ScalarBuilder::divPositive(OpFoldResult a, OpFoldResult b) {
  if (getNumber(b) == 1)
    return a;
  return emit<arith::DivUIOp>(a, b, ofPositive<kiln::index::floorDiv>);
}

OpFoldResult ScalarBuilder::remPositive(OpFoldResult a, OpFoldResult b) {
  if (getNumber(b) == 1)
    return constant(0);
  return emit<arith::RemUIOp>(a, b, ofPositive<kiln::index::floorMod>);
}

OpFoldResult ScalarBuilder::min(OpFoldResult a, OpFoldResult b) {
  if (a == b)
    return a;
  return emit<arith::MinSIOp>(a, b, Fold(kiln::index::min));
}

OpFoldResult ScalarBuilder::max(OpFoldResult a, OpFoldResult b) {
  if (a == b)
    return a;
  return emit<arith::MaxSIOp>(a, b, Fold(kiln::index::max));
}

OpFoldResult ScalarBuilder::product(ArrayRef<OpFoldResult> factors) {
  OpFoldResult numbers = constant(1), result = constant(1);
  for (OpFoldResult factor : factors)
    (getNumber(factor) ? numbers : result) =
        mul(getNumber(factor) ? numbers : result, factor);
  return mul(result, numbers);
}

OpFoldResult ScalarBuilder::select(Value condition, OpFoldResult a,
                                   OpFoldResult b) {
  if (a == b)
    return a;
  if (Integer known = getNumber(condition))
    return *known ? a : b;
  Value yes = materialize(a), no = materialize(b);
  return arith::SelectOp::create(builder, loc, condition, yes, no).getResult();
}

OpFoldResult ScalarBuilder::cast(Value integer) {
  if (Integer known = getNumber(integer); known && fits(*known))
    return constant(*known);
  if (integer.getType() == type)
    return integer;
  // MLIR takes a cast of an index to a narrower type and back for the index
  // itself, whatever the type holds. A truncation stays.
  Type wide = builder.getI64Type();
  if (integer.getType().isIndex() && type.isInteger() &&
      type.getIntOrFloatBitWidth() < 64)
    integer = arith::IndexCastOp::create(builder, loc, wide, integer);
  if (type.isIndex() || integer.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, type, integer).getResult();
  if (type.getIntOrFloatBitWidth() > integer.getType().getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, loc, type, integer).getResult();
  return arith::TruncIOp::create(builder, loc, type, integer).getResult();
}

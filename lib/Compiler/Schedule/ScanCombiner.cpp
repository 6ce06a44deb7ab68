//===- ScanCombiner.cpp - What a scan combines its elements with ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScanCombiner.h"
#include "kiln/Schedule/TileBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

TypedAttr ScanCombiner::neutral(Type element) const {
  Builder b(element.getContext());
  if (kind == prim::ScanKind::sum)
    return zeroOf(element);
  if (kind == prim::ScanKind::prod)
    return cast<TypedAttr>(b.getOneAttr(element));
  bool smallest = kind != prim::ScanKind::min;
  if (auto floats = dyn_cast<FloatType>(element))
    return FloatAttr::get(
        element, APFloat::getInf(floats.getFloatSemantics(), smallest));
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, smallest ? APInt::getSignedMinValue(width)
                                            : APInt::getSignedMaxValue(width));
}

SmallVector<Value> ScanCombiner::operator()(OpBuilder &b, Location loc,
                                            ValueRange x, ValueRange y) const {
  Type element = getElementTypeOrSelf(x[0].getType());
  bool isFloat = isa<FloatType>(element), isMax = kind == prim::ScanKind::max;
  if (withIndex) {
    Value take;
    if (isFloat) {
      using P = arith::CmpFPredicate;
      // Holds if either is NaN; then a NaN in x wins unless y is one.
      Value better =
          arith::CmpFOp::create(b, loc, isMax ? P::OGE : P::OLE, y[0], x[0]);
      Value isNan = arith::CmpFOp::create(b, loc, P::UNO, y[0], y[0]);
      take = arith::OrIOp::create(b, loc, better, isNan);
    } else {
      using P = arith::CmpIPredicate;
      take = arith::CmpIOp::create(b, loc, isMax ? P::sge : P::sle, y[0], x[0]);
    }
    // Nothing was combined yet.
    Value none = constantLike(
        b, loc, x[1],
        IntegerAttr::get(getElementTypeOrSelf(x[1].getType()), -1));
    Value first =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x[1], none);
    Value last =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, y[1], none);
    take = arith::AndIOp::create(
        b, loc, arith::OrIOp::create(b, loc, take, first), last);
    return {arith::SelectOp::create(b, loc, take, y[0], x[0]),
            arith::SelectOp::create(b, loc, take, y[1], x[1])};
  }
  switch (kind) {
  case prim::ScanKind::sum:
    if (isFloat)
      return {arith::AddFOp::create(b, loc, x[0], y[0])};
    return {arith::AddIOp::create(b, loc, x[0], y[0])};
  case prim::ScanKind::prod:
    if (isFloat)
      return {arith::MulFOp::create(b, loc, x[0], y[0])};
    return {arith::MulIOp::create(b, loc, x[0], y[0])};
  case prim::ScanKind::max:
    if (isFloat)
      return {arith::MaximumFOp::create(b, loc, x[0], y[0])};
    return {arith::MaxSIOp::create(b, loc, x[0], y[0])};
  case prim::ScanKind::min:
    if (isFloat)
      return {arith::MinimumFOp::create(b, loc, x[0], y[0])};
    return {arith::MinSIOp::create(b, loc, x[0], y[0])};
  case prim::ScanKind::logsumexp:
    break;
  }
  // The larger one plus log(1 + exp(-distance)); infinities are what they are.
  Value most = arith::MaximumFOp::create(b, loc, x[0], y[0]);
  Value least = arith::MinimumFOp::create(b, loc, x[0], y[0]);
  Value distance = arith::SubFOp::create(b, loc, least, most);
  Value rest =
      math::Log1pOp::create(b, loc, math::ExpOp::create(b, loc, distance));
  Value sum = arith::AddFOp::create(b, loc, most, rest);
  Value size = math::AbsFOp::create(b, loc, most);
  Value infinity = constantLike(
      b, loc, most,
      FloatAttr::get(
          element,
          APFloat::getInf(cast<FloatType>(element).getFloatSemantics())));
  Value isInfinite =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, size, infinity);
  return {arith::SelectOp::create(b, loc, isInfinite, most, sum)};
}

Type ScanCombiner::wideType(Type element) const {
  bool isChosen = kind == prim::ScanKind::max || kind == prim::ScanKind::min;
  return isChosen ? element : sumType(element);
}

//===- SortKeys.cpp - Elements as integers in the order of a sort ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SortKeys.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

Value kiln::schedule::sortKeys(OpBuilder &b, Location loc, Value tile,
                               IntegerType key, const SortOrder &order) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = type.getElementType();
  auto splat = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type.clone(value.getType()),
                               static_cast<Attribute>(value)));
  };
  auto constant = [&](Type integer, const APInt &value) {
    return splat(IntegerAttr::get(integer, value));
  };
  unsigned width = element.getIntOrFloatBitWidth();
  Type bits = b.getIntegerType(width);
  if (auto floats = dyn_cast<FloatType>(element)) {
    Value number = tile;
    tile = arith::BitcastOp::create(b, loc, type.clone(bits), tile);
    if (!order.total) {
      Value zero = splat(FloatAttr::get(element, 0.0));
      Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                           number, zero);
      Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                          number, number);
      tile = arith::SelectOp::create(b, loc, isZero,
                                     constant(bits, APInt(width, 0)), tile);
      tile = arith::SelectOp::create(
          b, loc, isNan,
          constant(
              bits,
              APFloat::getQNaN(floats.getFloatSemantics()).bitcastToAPInt()),
          tile);
    }
    // Negative ones the other way round.
    Value signs = arith::ShRSIOp::create(
        b, loc, tile, constant(bits, APInt(width, width - 1)));
    Value flip = arith::AndIOp::create(
        b, loc, signs, constant(bits, APInt::getSignedMaxValue(width)));
    tile = arith::XOrIOp::create(b, loc, tile, flip);
  } else if (order.isUnsigned && width > 1) {
    tile = arith::XOrIOp::create(
        b, loc, tile, constant(bits, APInt::getSignedMinValue(width)));
  }
  if (width != key.getWidth())
    tile =
        width == 1
            ? arith::ExtUIOp::create(b, loc, type.clone(key), tile).getResult()
            : arith::ExtSIOp::create(b, loc, type.clone(key), tile).getResult();
  if (order.descending)
    tile = arith::XOrIOp::create(
        b, loc, tile, constant(key, APInt::getAllOnes(key.getWidth())));
  return tile;
}

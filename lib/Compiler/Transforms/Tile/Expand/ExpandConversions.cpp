//===- ExpandConversions.cpp - Conversions with a rounding mode -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDCONVERSIONS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

namespace {
/// Expresses tile.convert_float between types that arith converts by rounding
/// to nearest, and corrects the result.
class Conversion {
public:
  explicit Conversion(tile::ConvertFloatOp op)
      : op(op), b(op), loc(op.getLoc()), source(op.getSource()) {}

  void expand() {
    unsigned from = widthOf(source), to = widthOf(op.getResult());
    // Types of one width are no subsets of each other.
    if (from == to && elementOf(source) != elementOf(op.getResult())) {
      source = convert<arith::ExtFOp>(source, b.getF32Type());
      from = 32;
    }
    Value result = source;
    if (from < to)
      result = convert<arith::ExtFOp>(source, elementOf(op.getResult()));
    else if (from > to)
      result = narrow();
    if (from <= to && op.getSaturate())
      result = withoutInfinity(result);
    op.getResult().replaceAllUsesWith(result);
    op.erase();
  }

private:
  Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }
  unsigned widthOf(Value value) {
    return elementOf(value).getIntOrFloatBitWidth();
  }
  Type like(Type element) {
    auto shaped = dyn_cast<ShapedType>(source.getType());
    return shaped ? Type(shaped.clone(element)) : element;
  }
  template <typename OpT> Value convert(Value value, Type element) {
    return OpT::create(b, loc, like(element), value);
  }
  Value constant(Type element, TypedAttr scalar) {
    Type type = like(element);
    if (auto shaped = dyn_cast<ShapedType>(type))
      scalar = DenseElementsAttr::get(shaped, Attribute(scalar));
    return arith::ConstantOp::create(b, loc, type, scalar);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }

  /// The largest number of its sign in the place of infinity, whose bits come
  /// behind.
  Value withoutInfinity(Value value) {
    auto type = cast<FloatType>(elementOf(value));
    Value limit = constant(
        type, b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
    Value isOver = compare(arith::CmpFPredicate::OEQ,
                           math::AbsFOp::create(b, loc, value), limit);
    Type integer = b.getIntegerType(type.getWidth());
    Value one = constant(integer, b.getIntegerAttr(integer, 1));
    Value before = arith::SubIOp::create(
        b, loc, convert<arith::BitcastOp>(value, integer), one);
    return arith::SelectOp::create(
        b, loc, isOver, convert<arith::BitcastOp>(before, type), value);
  }

  Value narrow() {
    Type wide = elementOf(source), narrow = elementOf(op.getResult());
    Value near = convert<arith::TruncFOp>(source, narrow);
    Value magnitude = math::AbsFOp::create(b, loc, source);
    APFloat infinity =
        APFloat::getInf(cast<FloatType>(wide).getFloatSemantics());
    Value limit = constant(wide, b.getFloatAttr(wide, infinity));
    Value found =
        math::AbsFOp::create(b, loc, convert<arith::ExtFOp>(near, wide));
    Value isOver;
    if (op.getRounding() == tile::Rounding::toward_zero) {
      // Where it went away from zero, the number before has the bits before.
      isOver = compare(arith::CmpFPredicate::OGT, found, magnitude);
    } else if (op.getSaturate()) {
      Value isInfinite = compare(arith::CmpFPredicate::OEQ, found, limit);
      Value wasFinite = compare(arith::CmpFPredicate::OLT, magnitude, limit);
      isOver = arith::AndIOp::create(b, loc, isInfinite, wasFinite);
    }
    if (op.getSaturate()) {
      Value wasInfinite = compare(arith::CmpFPredicate::OEQ, magnitude, limit);
      isOver = arith::OrIOp::create(b, loc, isOver, wasInfinite);
    }
    if (!isOver)
      return near;
    Type integer = b.getIntegerType(widthOf(near));
    Value bits = convert<arith::BitcastOp>(near, integer);
    Value one = constant(integer, b.getIntegerAttr(integer, 1));
    Value before = arith::SubIOp::create(b, loc, bits, one);
    return arith::SelectOp::create(
        b, loc, isOver, convert<arith::BitcastOp>(before, narrow), near);
  }

  tile::ConvertFloatOp op;
  OpBuilder b;
  Location loc;
  Value source;
};

struct TileExpandConversions
    : tile::impl::TileExpandConversionsBase<TileExpandConversions> {
  void runOnOperation() override {
    getOperation().walk(
        [](tile::ConvertFloatOp op) { Conversion(op).expand(); });
  }
};
} // namespace

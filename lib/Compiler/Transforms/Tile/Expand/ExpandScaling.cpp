//===- ExpandScaling.cpp - Conversions by powers of two -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scale is a power of two, 2^(code - 127) with the code of an f8E8M0FNU
// (OCP Microscaling Formats, 5.4.1); 255 is NaN. f64 holds all of them, their
// inverses, and each product with one of a narrower float, so that only the
// last conversion rounds.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDSCALING
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

namespace {

constexpr int64_t kNaN = 255; ///< the code
constexpr int64_t kBias = 1023 - 127, kFraction = 52;

bool isScale(Value value) {
  return isa<Float8E8M0FNUType>(getElementTypeOrSelf(value.getType()));
}

class Expander {
public:
  explicit Expander(Operation *op) : op(op), b(op), loc(op->getLoc()) {}

  void expand();

private:
  template <typename OpT, typename... Args> Value make(Args &&...args) {
    return OpT::create(b, loc, std::forward<Args>(args)...)->getResult(0);
  }
  Type like(Value shape, Type element) {
    if (auto tile = dyn_cast<RankedTensorType>(shape.getType()))
      return tile.clone(element);
    return element;
  }
  Value i64(Value shape, int64_t value) {
    Type type = like(shape, b.getI64Type());
    TypedAttr attr = b.getI64IntegerAttr(value);
    if (auto tile = dyn_cast<RankedTensorType>(type))
      attr = DenseElementsAttr::get(tile, Attribute(attr));
    return make<arith::ConstantOp>(attr);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, int64_t y) {
    return make<arith::CmpIOp>(predicate, x, i64(x, y));
  }
  /// The float with these bits.
  Value fromBits(Value bits) {
    return make<arith::BitcastOp>(like(bits, b.getF64Type()), bits);
  }

  Value codeOf(Value scale);
  Value powerOf(Value code, bool isInverse);
  /// Between float types, if they differ.
  Value convert(Value value, Type element);

  Operation *op;
  OpBuilder b;
  Location loc;
};

} // namespace

Value Expander::convert(Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return make<arith::ExtFOp>(like(value, element), value);
  return make<arith::TruncFOp>(like(value, element), value);
}

/// The codes of scales as i64. Other floats are rounded to the nearest power,
/// halves up; their signs do not count, and there is no zero.
Value Expander::codeOf(Value scale) {
  if (isScale(scale))
    return make<arith::ExtUIOp>(
        like(scale, b.getI64Type()),
        make<arith::BitcastOp>(like(scale, b.getI8Type()), scale));
  Value wide = convert(scale, b.getF64Type());
  Value bits = make<arith::BitcastOp>(like(scale, b.getI64Type()), wide);
  Value size =
      make<arith::AndIOp>(bits, i64(bits, std::numeric_limits<int64_t>::max()));
  size = make<arith::AddIOp>(size, i64(size, int64_t(1) << (kFraction - 1)));
  Value code = make<arith::SubIOp>(
      make<arith::ShRUIOp>(size, i64(size, kFraction)), i64(size, kBias));
  code = make<arith::MaxSIOp>(code, i64(code, 0));
  code = make<arith::MinSIOp>(code, i64(code, kNaN));
  // The sign and the other bits of NaN are the machine's to choose.
  Value isNaN = make<arith::CmpFOp>(arith::CmpFPredicate::UNO, wide, wide);
  return make<arith::SelectOp>(isNaN, i64(code, kNaN), code);
}

/// The powers, or what they are divided by to give 1, in f64.
Value Expander::powerOf(Value code, bool isInverse) {
  Value exponent = isInverse
                       ? make<arith::SubIOp>(i64(code, kBias + 2 * 127), code)
                       : make<arith::AddIOp>(code, i64(code, kBias));
  Value bits = make<arith::ShLIOp>(exponent, i64(code, kFraction));
  bits = make<arith::SelectOp>(compare(arith::CmpIPredicate::eq, code, kNaN),
                               i64(code, int64_t(0x7ff8) << 48), bits);
  return fromBits(bits);
}

void Expander::expand() {
  Value in = op->getOperand(0), result;
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (op->getNumOperands() == 1) {
    if (isScale(in)) { // a scale as a number
      result = convert(powerOf(codeOf(in), /*isInverse=*/false), to);
    } else { // a number as a scale
      Value code = codeOf(in);
      result = make<arith::BitcastOp>(
          op->getResult(0).getType(),
          make<arith::TruncIOp>(like(code, b.getI8Type()), code));
    }
  } else {
    bool isInverse = isa<arith::ScalingTruncFOp>(op);
    Value wide = convert(in, b.getF64Type());
    Value power = powerOf(codeOf(op->getOperand(1)), isInverse);
    result = convert(make<arith::MulFOp>(wide, power), to);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {
struct ExpandScaling : tile::impl::TileExpandScalingBase<ExpandScaling> {
  void runOnOperation() override {
    SmallVector<Operation *> all;
    bool isRefused = false;
    getOperation().walk([&](Operation *op) {
      bool isScaling = isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op);
      bool isConversion =
          isa<arith::ExtFOp, arith::TruncFOp>(op) &&
          (isScale(op->getOperand(0)) || isScale(op->getResult(0)));
      if (!isScaling && !isConversion)
        return;
      auto mode = op->getAttrOfType<arith::RoundingModeAttr>("roundingmode");
      if (mode && mode.getValue() != arith::RoundingMode::to_nearest_even) {
        op->emitError() << "unsupported: " << op->getName()
                        << " with another rounding than to_nearest_even";
        isRefused = true;
      }
      all.push_back(op);
    });
    if (isRefused)
      return signalPassFailure();
    for (Operation *op : all)
      Expander(op).expand();
  }
};
} // namespace

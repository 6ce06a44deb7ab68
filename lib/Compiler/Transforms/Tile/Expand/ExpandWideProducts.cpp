//===- ExpandWideProducts.cpp - Both halves of products, and carries ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDWIDEPRODUCTS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

namespace {
/// Both halves of products, computed in integers that the machine has.
class WideProduct {
public:
  explicit WideProduct(Operation *op)
      : op(op), b(op), loc(op->getLoc()), type(op->getOperand(0).getType()),
        bits(getElementTypeOrSelf(type).getIntOrFloatBitWidth()),
        isSigned(isa<arith::MulSIExtendedOp>(op)) {}

  void expand() {
    Value x = op->getOperand(0), y = op->getOperand(1);
    op->getResult(0).replaceAllUsesWith(mul(x, y));
    if (!op->getResult(1).use_empty())
      op->getResult(1).replaceAllUsesWith(bits < 64 ? narrowHigh(x, y)
                                                    : wideHigh(x, y));
    op->erase();
  }

private:
  Type like(unsigned width) {
    Type element = b.getIntegerType(width);
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(element)) : element;
  }
  Value constant(Type of, const APInt &value) {
    TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(of), value);
    if (auto shaped = dyn_cast<ShapedType>(of))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(b, loc, of, attr);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value shift(Value x, unsigned by) {
    Type of = x.getType();
    unsigned width = getElementTypeOrSelf(of).getIntOrFloatBitWidth();
    return arith::ShRUIOp::create(b, loc, x, constant(of, APInt(width, by)));
  }

  /// The upper half of a product in twice the width, of a whole number of
  /// bytes.
  Value narrowHigh(Value x, Value y) {
    Type wide = like(std::max<unsigned>(8, llvm::PowerOf2Ceil(2 * bits)));
    auto extend = [&](Value v) -> Value {
      if (isSigned)
        return arith::ExtSIOp::create(b, loc, wide, v);
      return arith::ExtUIOp::create(b, loc, wide, v);
    };
    Value wideX = extend(x), wideY = extend(y);
    return arith::TruncIOp::create(b, loc, type,
                                   shift(mul(wideX, wideY), bits));
  }

  /// The upper half from products of halves.
  Value wideHigh(Value x, Value y) {
    unsigned half = bits / 2;
    Value mask = constant(type, APInt::getLowBitsSet(bits, half));
    auto low = [&](Value v) -> Value {
      return arith::AndIOp::create(b, loc, v, mask);
    };
    Value x0 = low(x), x1 = shift(x, half), y0 = low(y), y1 = shift(y, half);
    Value upperLower = mul(x1, y0), carried = shift(mul(x0, y0), half);
    Value middle = add(upperLower, carried);
    Value lowerUpper = mul(x0, y1), rest = low(middle);
    Value other = add(lowerUpper, rest);
    Value upper = mul(x1, y1), middleHigh = shift(middle, half);
    Value high = add(upper, middleHigh);
    high = add(high, shift(other, half));
    if (!isSigned)
      return high;
    // A negative factor has been read as larger by 2^bits.
    Value zero = constant(type, APInt::getZero(bits));
    auto correction = [&](Value factor, Value by) -> Value {
      Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                             factor, zero);
      return arith::SelectOp::create(b, loc, negative, by, zero);
    };
    high = sub(high, correction(x, y));
    return sub(high, correction(y, x));
  }

  Operation *op;
  OpBuilder b;
  Location loc;
  Type type;
  unsigned bits;
  bool isSigned;
};

/// A sum that wraps, and whether it has: it is less than a term then.
void expandCarry(arith::AddUIExtendedOp op) {
  OpBuilder b(op);
  Value sum = arith::AddIOp::create(b, op.getLoc(), op.getLhs(), op.getRhs());
  Value carry = arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::ult,
                                      sum, op.getLhs());
  op.getSum().replaceAllUsesWith(sum);
  op.getOverflow().replaceAllUsesWith(carry);
  op.erase();
}

struct TileExpandWideProducts
    : tile::impl::TileExpandWideProductsBase<TileExpandWideProducts> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::MulUIExtendedOp, arith::MulSIExtendedOp>(op) &&
          !getElementTypeOrSelf(op->getOperand(0).getType()).isIndex())
        ops.push_back(op);
    });
    for (Operation *op : ops)
      WideProduct(op).expand();
    getOperation().walk(expandCarry);
  }
};
} // namespace

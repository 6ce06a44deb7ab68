//===- ExpandScaledDots.cpp - Products with scales by products without ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDSCALEDDOTS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace {
/// Expands one factor. Its rows have K elements: lhs is [M, K], rhs is turned
/// to [N, K] and back.
class FactorExpander {
public:
  FactorExpander(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  /// The factor as f32, times its scales.
  Value expand(Value factor, Value scale, ScaledFormat format, bool packsK,
               bool isRhs) {
    if (isRhs)
      factor = transpose(factor);
    Value values;
    switch (format) {
    case ScaledFormat::e2m1:
      values =
          packsK ? unpackFp4(factor) : transpose(unpackFp4(transpose(factor)));
      break;
    case ScaledFormat::e2m3:
      values = decode(widenCode(factor), 2, 3);
      break;
    case ScaledFormat::e3m2:
      values = decode(widenCode(factor), 3, 2);
      break;
    case ScaledFormat::e4m3:
      values = widen(factor, Float8E4M3FNType::get(b.getContext()));
      break;
    case ScaledFormat::e5m2:
      values = widen(factor, Float8E5M2Type::get(b.getContext()));
      break;
    case ScaledFormat::bf16:
    case ScaledFormat::fp16:
      values = widen(factor, {});
      break;
    }
    if (scale)
      values = arith::MulFOp::create(
          b, loc, values,
          expandScale(scale, cast<RankedTensorType>(values.getType())));
    return isRhs ? transpose(values) : values;
  }

private:
  Value transpose(Value matrix) {
    auto type = cast<RankedTensorType>(matrix.getType());
    SmallVector<int64_t> permutation(
        llvm::to_vector(llvm::seq<int64_t>(type.getRank())));
    std::swap(permutation[type.getRank() - 1], permutation[type.getRank() - 2]);
    SmallVector<int64_t> shape(type.getShape());
    std::swap(shape[type.getRank() - 1], shape[type.getRank() - 2]);
    return TransposeOp::create(b, loc, type.clone(shape), matrix, permutation);
  }

  /// Floats as f32; bytes are those of `narrow`.
  Value widen(Value factor, FloatType narrow) {
    auto type = cast<RankedTensorType>(factor.getType());
    if (type.getElementType().isInteger(8))
      factor = arith::BitcastOp::create(b, loc, type.clone(narrow), factor);
    return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), factor);
  }

  Value constant(RankedTensorType like, int64_t value) {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(
            like, Attribute(b.getIntegerAttr(like.getElementType(), value))));
  }

  Value widenCode(Value code) {
    auto type = cast<RankedTensorType>(code.getType());
    return arith::ExtUIOp::create(b, loc, type.clone(b.getI32Type()), code);
  }

  /// The f32 value of a float of 4 or 6 bits in an i32: a sign, then exponent
  /// and mantissa of so many bits; neither infinity nor NaN.
  Value decode(Value code, int exponentBits, int mantissaBits) {
    auto type = cast<RankedTensorType>(code.getType());
    auto floats = type.clone(b.getF32Type());
    int64_t sign = int64_t(1) << (exponentBits + mantissaBits);
    int bias = (1 << (exponentBits - 1)) - 1;
    Value magnitude =
        arith::AndIOp::create(b, loc, code, constant(type, sign - 1));
    // Normal numbers: shifted into place, with the bias of f32.
    Value normal = arith::BitcastOp::create(
        b, loc, floats,
        arith::AddIOp::create(
            b, loc,
            arith::ShLIOp::create(b, loc, magnitude,
                                  constant(type, 23 - mantissaBits)),
            constant(type, int64_t(127 - bias) << 23)));
    // Those with exponent 0 are multiples of the smallest.
    float least = std::ldexp(1.0f, 1 - bias - mantissaBits);
    Value small = arith::MulFOp::create(
        b, loc, arith::UIToFPOp::create(b, loc, floats, magnitude),
        arith::ConstantOp::create(
            b, loc, DenseElementsAttr::get(floats, b.getF32FloatAttr(least))));
    Value isSmall =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, magnitude,
                              constant(type, int64_t(1) << mantissaBits));
    Value value = arith::SelectOp::create(b, loc, isSmall, small, normal);
    Value negative = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, loc, code, constant(type, sign)),
        constant(type, 0));
    return arith::SelectOp::create(b, loc, negative,
                                   arith::NegFOp::create(b, loc, value), value);
  }

  /// Two elements in each byte along the last dimension, the low half first.
  Value unpackFp4(Value packed) {
    auto type = cast<RankedTensorType>(packed.getType());
    Value code = widenCode(packed);
    auto wide = cast<RankedTensorType>(code.getType());
    Value low =
        decode(arith::AndIOp::create(b, loc, code, constant(wide, 15)), 2, 1);
    Value high =
        decode(arith::ShRUIOp::create(b, loc, code, constant(wide, 4)), 2, 1);
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(2);
    Value joined = JoinOp::create(
        b, loc, RankedTensorType::get(shape, b.getF32Type()), low, high);
    shape.pop_back();
    shape.back() *= 2;
    return ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, b.getF32Type()), joined);
  }

  /// The scale of every block along K, repeated for its elements.
  Value expandScale(Value scale, RankedTensorType values) {
    auto type = cast<RankedTensorType>(scale.getType());
    auto floats = type.clone(b.getF32Type());
    Value factor = isa<Float8E4M3FNType>(type.getElementType())
                       ? widen(scale, {})
                       : decodePower(scale);
    int64_t block = values.getShape().back() / type.getShape().back();
    if (block == 1)
      return factor;
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(1);
    Value column = ReshapeOp::create(b, loc, floats.clone(shape), factor);
    shape.back() = block;
    Value repeated = BroadcastOp::create(b, loc, floats.clone(shape), column);
    return ReshapeOp::create(b, loc, values, repeated);
  }

  /// 2^(bits - 127) of bytes; 255 is NaN.
  Value decodePower(Value scale) {
    auto type = cast<RankedTensorType>(scale.getType());
    auto bytes = type.clone(b.getI8Type());
    auto wide = type.clone(b.getI32Type());
    auto floats = type.clone(b.getF32Type());
    if (type != bytes)
      scale = arith::BitcastOp::create(b, loc, bytes, scale);
    Value code = widenCode(scale);
    Value power = arith::BitcastOp::create(
        b, loc, floats,
        arith::ShLIOp::create(b, loc, code, constant(wide, 23)));
    auto select = [&](int64_t special, uint32_t bits) {
      Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, code,
                                       constant(wide, special));
      Value value = arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(
              floats, APFloat(APFloat::IEEEsingle(), APInt(32, bits))));
      power = arith::SelectOp::create(b, loc, is, value, power);
    };
    select(0, 0x00400000);   // 2^-127 is subnormal
    select(255, 0x7fc00000); // NaN
    return power;
  }

  OpBuilder &b;
  Location loc;
};

struct TileExpandScaledDots
    : tile::impl::TileExpandScaledDotsBase<TileExpandScaledDots> {
  void runOnOperation() override {
    getOperation().walk([](DotScaledOp op) {
      OpBuilder builder(op);
      FactorExpander expander(builder, op.getLoc());
      Value lhs =
          expander.expand(op.getLhs(), op.getLhsScale(), op.getLhsFormat(),
                          op.getLhsKPack(), /*isRhs=*/false);
      Value rhs =
          expander.expand(op.getRhs(), op.getRhsScale(), op.getRhsFormat(),
                          op.getRhsKPack(), /*isRhs=*/true);
      Value dot = DotOp::create(builder, op.getLoc(), op.getType(), lhs, rhs,
                                op.getAcc());
      op.getResult().replaceAllUsesWith(dot);
      op.erase();
    });
  }
};
} // namespace

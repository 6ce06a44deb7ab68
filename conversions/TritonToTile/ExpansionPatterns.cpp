// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that tile has no single operation for, expanded to several.
#include "Patterns.h"

#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Dialect/Triton/Triton.h"

#include <cmath>

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

/// Expands one operand. Its rows have K elements: lhs is [M, K], rhs is turned
/// to [N, K] and back. Elements of 4 bits come two in a byte, along K or along
/// the other dimension, those of 6 bits one in a byte.
class OperandExpander {
public:
  OperandExpander(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  /// The operand as f32, times its scales.
  FailureOr<Value> expand(tt::DotScaledOp op, Value operand, Value scale,
                          tt::ScaleDotElemType kind, bool packsK, bool isRhs) {
    if (isRhs)
      operand = transpose(operand);
    Value values;
    switch (kind) {
    case tt::ScaleDotElemType::e2m1:
      values = packsK ? unpackFp4(operand)
                      : transpose(unpackFp4(transpose(operand)));
      break;
    case tt::ScaleDotElemType::e2m3:
      values = decode(widenCode(operand), 2, 3);
      break;
    case tt::ScaleDotElemType::e3m2:
      values = decode(widenCode(operand), 3, 2);
      break;
    case tt::ScaleDotElemType::e4m3:
      values = widen(operand, Float8E4M3FNType::get(b.getContext()));
      break;
    case tt::ScaleDotElemType::e5m2:
      values = widen(operand, Float8E5M2Type::get(b.getContext()));
      break;
    case tt::ScaleDotElemType::bf16:
      values = widen(operand, b.getBF16Type());
      break;
    case tt::ScaleDotElemType::fp16:
      values = widen(operand, b.getF16Type());
      break;
    }
    if (scale) {
      FailureOr<Value> factors =
          expandScale(op, scale, cast<RankedTensorType>(values.getType()));
      if (failed(factors))
        return failure();
      values = arith::MulFOp::create(b, loc, values, *factors);
    }
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
    return tile::TransposeOp::create(b, loc, type.clone(shape), matrix,
                                     permutation);
  }

  Value widen(Value operand, FloatType narrow) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getElementType().isInteger(8))
      operand = arith::BitcastOp::create(b, loc, type.clone(narrow), operand);
    return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), operand);
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
    Value joined = tile::JoinOp::create(
        b, loc, RankedTensorType::get(shape, b.getF32Type()), low, high);
    shape.pop_back();
    shape.back() *= 2;
    return tile::ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, b.getF32Type()), joined);
  }

  /// Powers of two (8 bits of exponent) for every block of K, repeated for its
  /// elements.
  FailureOr<Value> expandScale(tt::DotScaledOp op, Value scale,
                               RankedTensorType values) {
    auto type = cast<RankedTensorType>(scale.getType());
    int64_t blocks = type.getShape().back(), size = values.getShape().back();
    if (!type.getElementType().isInteger(8) ||
        type.getRank() != values.getRank() || blocks <= 0 || size % blocks)
      return op.emitOpError("unsupported: scales of type ") << type;
    auto wide = type.clone(b.getI32Type());
    auto floats = type.clone(b.getF32Type());
    Value code = arith::ExtUIOp::create(b, loc, wide, scale);
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
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(1);
    Value column = tile::ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, b.getF32Type()), power);
    shape.back() = size / blocks;
    Value repeated = tile::BroadcastOp::create(
        b, loc, RankedTensorType::get(shape, b.getF32Type()), column);
    return tile::ReshapeOp::create(b, loc, values, repeated).getResult();
  }

  OpBuilder &b;
  Location loc;
};

struct ConvertDotScaled : OpConversionPattern<tt::DotScaledOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::DotScaledOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    OperandExpander expander(rewriter, op.getLoc());
    FailureOr<Value> lhs =
        expander.expand(op, adaptor.getA(), adaptor.getAScale(),
                        op.getAElemType(), op.getLhsKPack(), /*isRhs=*/false);
    if (failed(lhs))
      return failure();
    FailureOr<Value> rhs =
        expander.expand(op, adaptor.getB(), adaptor.getBScale(),
                        op.getBElemType(), op.getRhsKPack(), /*isRhs=*/true);
    if (failed(rhs))
      return failure();
    rewriter.replaceOpWithNewOp<tile::DotOp>(
        op, op.getType(), *lhs, *rhs, adaptor.getC(),
        tile::InputPrecision::ieee, /*lhs_unsigned=*/false,
        /*rhs_unsigned=*/false);
    return success();
  }
};

} // namespace

void populateExpansionPatterns(const TypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<ConvertDotScaled>(converter, patterns.getContext());
}

} // namespace kiln::triton_to_tile

//===- ExpandScaledDots.cpp - Products with scales by products without ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDSCALEDDOTS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace {
/// Numbers of so many significant bits that are multiples of 2^least and less
/// than 2^top.
struct Numbers {
  int bits, least, top;

  Numbers operator*(Numbers other) const {
    return {bits + other.bits, least + other.least, top + other.top};
  }
};

Numbers numbersOf(ScaledFormat format) {
  switch (format) {
  case ScaledFormat::e2m1:
    return {2, -1, 3};
  case ScaledFormat::e2m3:
    return {4, -3, 3};
  case ScaledFormat::e3m2:
    return {3, -4, 5};
  case ScaledFormat::e4m3:
    return {4, -9, 9};
  case ScaledFormat::e5m2:
    return {3, -16, 16};
  case ScaledFormat::bf16:
    return {8, -133, 128};
  case ScaledFormat::fp16:
    return {11, -24, 16};
  }
  llvm_unreachable("unknown format");
}

/// A factor's elements times their scales. A power of two takes no bits.
Numbers numbersOf(ScaledFormat format, Value scale) {
  Numbers numbers = numbersOf(format);
  if (!scale)
    return numbers;
  return isa<Float8E4M3FNType>(getElementTypeOrSelf(scale.getType()))
             ? numbers * numbersOf(ScaledFormat::e4m3)
             : numbers * Numbers{0, -127, 128};
}

/// Whether an element, or its product with a scale, may be infinity.
bool mayBeInfinite(ScaledFormat format, Numbers numbers) {
  return format == ScaledFormat::e5m2 || format == ScaledFormat::bf16 ||
         format == ScaledFormat::fp16 || numbers.top > 128;
}

bool fitsHalf(Numbers numbers) {
  return numbers.bits <= 11 && numbers.least >= -24 && numbers.top <= 16;
}

/// Whether a description has a matrix instruction for factors of a type, sums
/// in f32, and a product of this size.
bool hasInstruction(target::TargetAttr description, Type factor,
                    RankedTensorType sums, int64_t depth) {
  if (!description)
    return false;
  auto takes = [](target::OperandAttr operand, Type type) {
    return llvm::is_contained(operand.getTypes(), type);
  };
  return llvm::any_of(
      description.getMatrixInstructions(),
      [&](target::MatrixInstructionAttr row) {
        return takes(row.getLhs(), factor) && takes(row.getRhs(), factor) &&
               takes(row.getAcc(), Float32Type::get(factor.getContext())) &&
               sums.getDimSize(sums.getRank() - 2) >= row.getM().getMin() &&
               sums.getDimSize(sums.getRank() - 1) >= row.getN().getMin() &&
               depth >= row.getK().getMin();
      });
}

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

  /// Numbers of f32 as `type`, which has all of them.
  Value narrow(Value values, FloatType type) {
    auto tile = cast<RankedTensorType>(values.getType());
    return arith::TruncFOp::create(b, loc, tile.clone(type), values);
  }

  /// Terms of bf16 whose sums are numbers of f32 with so many bits, the largest
  /// first.
  SmallVector<Value> split(Value values, int bits) {
    FloatType half = b.getBF16Type();
    auto floats = cast<RankedTensorType>(values.getType());
    RankedTensorType words = floats.clone(b.getI32Type());
    SmallVector<Value> terms;
    for (; bits > 8; bits -= 8) {
      // The upper bits alone, so that nothing is rounded out of the range.
      Value upper = arith::AndIOp::create(
          b, loc, arith::BitcastOp::create(b, loc, words, values),
          constant(words, int64_t(int32_t(0xffff0000))));
      upper = arith::BitcastOp::create(b, loc, floats, upper);
      terms.push_back(narrow(upper, half));
      Value rest = arith::SubFOp::create(b, loc, values, upper);
      // Infinities have no rest.
      Value isNumber =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, rest, rest);
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(floats));
      values = arith::SelectOp::create(b, loc, isNumber, rest, zero);
    }
    terms.push_back(narrow(values, half));
    return terms;
  }

  /// A term of bf16 with zeros for its infinities and NaN.
  Value dropInfinities(Value term) {
    auto type = cast<RankedTensorType>(term.getType());
    RankedTensorType words = type.clone(b.getI16Type());
    Value size = arith::AndIOp::create(
        b, loc, arith::BitcastOp::create(b, loc, words, term),
        constant(words, 0x7fff));
    Value isNumber = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           size, constant(words, 0x7f80));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return arith::SelectOp::create(b, loc, isNumber, term, zero);
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

/// Expands one product.
class DotExpander {
public:
  DotExpander(DotScaledOp op, target::TargetAttr description)
      : op(op), description(description), b(op), expander(b, op.getLoc()) {}

  void expand() {
    numbers[0] = numbersOf(op.getLhsFormat(), op.getLhsScale());
    numbers[1] = numbersOf(op.getRhsFormat(), op.getRhsScale());
    FloatType type = b.getF32Type();
    if (fitsHalf(numbers[0]) && fitsHalf(numbers[1]) && has(b.getF16Type()))
      type = b.getF16Type();
    else if (has(b.getBF16Type()))
      type = b.getBF16Type();
    Value sum = op.getAcc();
    SmallVector<Value> left = terms(/*isRhs=*/false, type),
                       right = terms(/*isRhs=*/true, type);
    // Infinity times the largest term says all: a smaller one may be zero.
    Value leftRest = restOf(left[0], right.size(), /*isRhs=*/false),
          rightRest = restOf(right[0], left.size(), /*isRhs=*/true);
    // Small terms first.
    for (size_t i = left.size(); i-- > 0;)
      for (size_t j = right.size(); j-- > 0;)
        sum = DotOp::create(b, op.getLoc(), op.getType(),
                            i || !j ? left[i] : leftRest,
                            j || !i ? right[j] : rightRest, sum);
    op.getResult().replaceAllUsesWith(sum);
    op.erase();
  }

private:
  /// What adds up to a factor: one term, or several of bf16.
  SmallVector<Value> terms(bool isRhs, FloatType type) {
    Value factor = isRhs ? op.getRhs() : op.getLhs(),
          scale = isRhs ? op.getRhsScale() : op.getLhsScale();
    // As it is, so that nothing stands between its load and the product.
    if (!scale && getElementTypeOrSelf(factor.getType()) == type)
      return {factor};
    Value values = expander.expand(
        factor, scale, isRhs ? op.getRhsFormat() : op.getLhsFormat(),
        isRhs ? op.getRhsKPack() : op.getLhsKPack(), isRhs);
    if (type.isF32())
      return {values};
    return type.isF16() ? SmallVector<Value>{expander.narrow(values, type)}
                        : expander.split(values, numbers[isRhs].bits);
  }

  /// What the smaller terms of the other factor are multiplied with in place of
  /// a factor's largest term.
  Value restOf(Value largest, size_t otherTerms, bool isRhs) {
    ScaledFormat format = isRhs ? op.getRhsFormat() : op.getLhsFormat();
    return otherTerms > 1 && mayBeInfinite(format, numbers[isRhs])
               ? expander.dropInfinities(largest)
               : largest;
  }

  bool has(FloatType factor) {
    return hasInstruction(description, factor,
                          cast<RankedTensorType>(op.getType()), op.getDepth());
  }

  DotScaledOp op;
  target::TargetAttr description;
  OpBuilder b;
  FactorExpander expander;
  Numbers numbers[2]; ///< of both factors
};

/// Passes the operands of a product on as bytes, so that their conversions to
/// wider floats are left to the instruction that takes them.
void keepBytes(DotScaledOp op) {
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (isa<FloatType>(type.getElementType()) &&
        type.getElementTypeBitWidth() == 8)
      operand.set(arith::BitcastOp::create(
          b, op.getLoc(), type.clone(b.getI8Type()), operand.get()));
  }
}

bool hasSixBits(ScaledFormat format) {
  return format == ScaledFormat::e2m3 || format == ScaledFormat::e3m2;
}

/// Turns operands of 6-bit floats into e4m3, which has all of their numbers, if
/// an instruction takes the product then; whether one does.
bool widenSixBits(DotScaledOp op, function_ref<bool()> isTaken) {
  ScaledFormat lhs = op.getLhsFormat(), rhs = op.getRhsFormat();
  if (!hasSixBits(lhs) && !hasSixBits(rhs))
    return false;
  if (hasSixBits(lhs))
    op.setLhsFormat(ScaledFormat::e4m3);
  if (hasSixBits(rhs))
    op.setRhsFormat(ScaledFormat::e4m3);
  if (!isTaken()) {
    op.setLhsFormat(lhs);
    op.setRhsFormat(rhs);
    return false;
  }
  OpBuilder b(op);
  FactorExpander expander(b, op.getLoc());
  auto widen = [&](OpOperand &factor, ScaledFormat format) {
    if (!hasSixBits(format))
      return;
    Value values = expander.expand(factor.get(), /*scale=*/{}, format,
                                   /*packsK=*/true, /*isRhs=*/false);
    factor.set(expander.narrow(values, Float8E4M3FNType::get(b.getContext())));
  };
  widen(op.getLhsMutable(), lhs);
  widen(op.getRhsMutable(), rhs);
  return true;
}

struct TileExpandScaledDots
    : tile::impl::TileExpandScaledDotsBase<TileExpandScaledDots> {
  using Base::Base;

  void runOnOperation() override {
    target::TargetAttr description =
        narrow ? target::getDescription(getOperation()) : target::TargetAttr();
    getOperation().walk([&](MatrixProductOpInterface product) {
      DotScaledOp op = findFormats(product);
      if (!op)
        return;
      auto isTaken = [&] {
        return description &&
               llvm::any_of(description.getMatrixInstructions(),
                            [&](target::MatrixInstructionAttr row) {
                              return takesScales(row, product, description);
                            });
      };
      if (isTaken() || widenSixBits(op, isTaken))
        keepBytes(op);
      else
        DotExpander(op, description).expand();
    });
  }
};
} // namespace

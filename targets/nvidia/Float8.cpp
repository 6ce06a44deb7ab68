//===- Float8.cpp - Conversions that round -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 8 bits by instructions where a chip has them (sm_89), which take
// two numbers and saturate, else by integers.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

namespace {
/// Short names.
struct Bits : GpuFloat32 {
  using GpuFloat32::GpuFloat32;
  using P = arith::CmpIPredicate;

  Value cast(Type type, Value value) const {
    return arith::BitcastOp::create(b, loc, type, value);
  }
  Value andi(Value x, Value y) const {
    return arith::AndIOp::create(b, loc, x, y);
  }
  Value ori(Value x, Value y) const {
    return arith::OrIOp::create(b, loc, x, y);
  }
  Value shr(Value x, int64_t by) const {
    return arith::ShRUIOp::create(b, loc, x, i32(by));
  }
  Value compareInt(P predicate, Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value wide(Value value) const {
    return arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  }
};

/// A format of 8 bits.
struct Format {
  int64_t mantissa, bias;
  int64_t over;  ///< bits of the largest f32 number that is not too large
  int64_t above; ///< what larger ones become
};
} // namespace

/// Halfway beyond the largest number, 448 and 57344; the even neighbour of the
/// first one is that number, that of the second one is infinity.
static Format formatOf(Type type) {
  return isa<Float8E5M2Type>(type) ? Format{2, 15, 0x476fffff, 0x7c}
                                   : Format{3, 7, 0x43e80000, 0x7f};
}

bool nvidia::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

SmallVector<Value> nvidia::widenFloat8(OpBuilder &b, Location loc,
                                       ValueRange values, unsigned compute) {
  Bits f(b, loc);
  SmallVector<Value> results, bytes;
  for (Value value : values)
    bytes.push_back(f.cast(b.getI8Type(), value));
  auto asShort = [&](Value byte) -> Value {
    return arith::ExtUIOp::create(b, loc, b.getI16Type(), byte);
  };
  auto eight = [&] {
    return arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(8));
  };
  auto fromHalf = [&](Value half) {
    results.push_back(arith::ExtFOp::create(b, loc, b.getF32Type(), half));
  };
  if (isa<Float8E5M2Type>(values[0].getType())) {
    // The upper half of f16.
    for (Value byte : bytes)
      fromHalf(f.cast(b.getF16Type(),
                      arith::ShLIOp::create(b, loc, asShort(byte), eight())));
    return results;
  }
  if (compute >= 89) {
    Value both = asShort(bytes[0]);
    if (bytes.size() > 1)
      both = f.ori(both,
                   arith::ShLIOp::create(b, loc, asShort(bytes[1]), eight()));
    Value pair = callIntrinsic(b, loc, VectorType::get({2}, b.getF16Type()),
                               "llvm.nvvm.e4m3x2.to.f16x2.rn", both);
    for (size_t i = 0; i < bytes.size(); ++i)
      fromHalf(LLVM::ExtractElementOp::create(
          b, loc, pair,
          LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i))));
    return results;
  }
  // Exponent and mantissa move up together; a product with a power of two
  // corrects the bias and makes subnormal numbers right.
  for (Value byte : bytes) {
    Value all = f.wide(byte);
    Value rest = f.andi(all, f.i32(0x7f));
    Value scaled = f.mul(f.float_(f.shl(rest, 20)), f.f32(0x1p120));
    Value isNaN = f.compareInt(Bits::P::eq, rest, f.i32(0x7f));
    Value magnitude = f.select(isNaN, f.i32(0x7fffffff), f.bits(scaled));
    Value sign = f.shl(f.andi(all, f.i32(0x80)), 24);
    results.push_back(f.float_(f.ori(magnitude, sign)));
  }
  return results;
}

/// The bits of the magnitude, rounded to nearest even, by integers; anything
/// where it is too large.
static Value roundMagnitude(const Bits &f, Value rest, const Format &format) {
  int64_t shift = 23 - format.mantissa, down = 127 - format.bias;
  Value even = f.andi(f.shr(rest, shift), f.i32(1));
  Value bias = f.i32((int64_t(1) << (shift - 1)) - 1 - (down << 23));
  Value normal = f.shr(f.addi(f.addi(rest, even), bias), shift);
  // The sum with a number whose last bit is worth the smallest subnormal one.
  double one = std::ldexp(1.0, int(1 - format.bias - format.mantissa + 23));
  Value magic = f.f32(one);
  Value tiny = f.subi(f.bits(f.add(f.float_(rest), magic)), f.bits(magic));
  Value isTiny = f.compareInt(Bits::P::ult, rest, f.i32((1 + down) << 23));
  return f.select(isTiny, tiny, normal);
}

/// What is too large for the instruction, which saturates, as it should be: in
/// place of its byte, which has the sign of all numbers and is NaN for NaN.
static Value replaceLarge(const Bits &f, Value byte, Value value,
                          const Format &format) {
  Value all = f.bits(value);
  Value limit = f.float_(f.i32(format.over));
  Value isOver = f.compare(Bits::CmpF::OGT,
                           f.float_(f.andi(all, f.i32(0x7fffffff))), limit);
  Value above = f.i32(format.above);
  if (format.above != 0x7f)
    above = f.ori(above, f.andi(f.shr(all, 24), f.i32(0x80)));
  return f.select(isOver, above, byte);
}

/// A limit of a number: what it is of, and a constant.
struct Limit {
  Value of;
  double number;
  bool isLeast;        ///< or the largest
  bool propagatesNaNs; ///< or gives the constant for NaN
};

static std::optional<Limit> limitOf(Value value) {
  Operation *op = value.getDefiningOp();
  llvm::APFloat number(0.0f);
  bool isLeast = isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(op);
  bool isMost = isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp>(op);
  if ((!isLeast && !isMost) ||
      !matchPattern(op->getOperand(1), m_ConstantFloat(&number)) ||
      number.isNaN())
    return std::nullopt;
  return Limit{op->getOperand(0), number.convertToDouble(), isLeast,
               isa<arith::MaximumFOp, arith::MinimumFOp>(op)};
}

/// Whether a number was limited to what a format holds, so that none is too
/// large for it. An instruction that saturates sets the limits that the format
/// has by itself: these are taken away from `value`.
static bool takeLimits(Value &value, double largest) {
  auto outer = limitOf(value);
  auto inner = outer ? limitOf(outer->of) : std::nullopt;
  if (!inner || outer->isLeast == inner->isLeast)
    return false;
  auto isOwn = [&](const Limit &limit) {
    return limit.propagatesNaNs &&
           limit.number == (limit.isLeast ? -largest : largest);
  };
  if (isOwn(*outer) && isOwn(*inner)) {
    value = inner->of;
    return true;
  }
  return std::abs(outer->number) <= largest &&
         std::abs(inner->number) <= largest;
}

SmallVector<Value> nvidia::narrowFloat8(OpBuilder &b, Location loc,
                                        ValueRange values, Type type,
                                        unsigned compute) {
  Bits f(b, loc);
  Format format = formatOf(type);
  auto give = [&](Value word) {
    return f.cast(type, arith::TruncIOp::create(b, loc, b.getI8Type(), word));
  };
  SmallVector<Value> results;
  if (compute >= 89) {
    SmallVector<Value, 2> taken(values);
    SmallVector<bool, 2> isLimited;
    double largest =
        llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
            .convertToDouble();
    for (Value &value : taken)
      isLimited.push_back(takeLimits(value, largest));
    Value second = taken.size() > 1 ? taken[1] : f.f32(0.0);
    Value pair = f.wide(callIntrinsic(b, loc, b.getI16Type(),
                                      isa<Float8E5M2Type>(type)
                                          ? "llvm.nvvm.ff.to.e5m2x2.rn"
                                          : "llvm.nvvm.ff.to.e4m3x2.rn",
                                      {second, taken[0]}));
    for (auto [i, value] : llvm::enumerate(taken)) {
      Value byte = i ? f.shr(pair, 8) : pair;
      results.push_back(
          give(isLimited[i] ? byte : replaceLarge(f, byte, value, format)));
    }
    return results;
  }
  for (Value value : values) {
    Value all = f.bits(value);
    Value rest = f.andi(all, f.i32(0x7fffffff));
    Value sign = f.andi(f.shr(all, 24), f.i32(0x80));
    Value magnitude = roundMagnitude(f, rest, format);
    Value isOver = f.compareInt(Bits::P::ugt, rest, f.i32(format.over));
    Value isNaN = f.compareInt(Bits::P::ugt, rest, f.i32(0x7f800000));
    magnitude = f.select(isOver, f.i32(format.above), magnitude);
    magnitude = f.select(isNaN, f.i32(0x7f), magnitude);
    results.push_back(give(f.ori(magnitude, sign)));
  }
  return results;
}

Value nvidia::roundToOdd(OpBuilder &b, Location loc, Value value) {
  Bits f(b, loc);
  Value cut = callIntrinsic(b, loc, b.getF32Type(), "llvm.nvvm.d2f.rz", value);
  Value back = arith::ExtFOp::create(b, loc, b.getF64Type(), cut);
  Value inexact = f.compare(Bits::CmpF::ONE, back, value);
  return f.float_(f.ori(f.bits(cut), f.wide(inexact)));
}

Value nvidia::integerToOdd(OpBuilder &b, Location loc, Value value,
                           bool isSigned) {
  Bits f(b, loc);
  bool isWide = value.getType().isInteger(64);
  StringRef name = isWide
                       ? (isSigned ? "llvm.nvvm.ll2f.rz" : "llvm.nvvm.ull2f.rz")
                       : (isSigned ? "llvm.nvvm.i2f.rz" : "llvm.nvvm.ui2f.rz");
  Value cut = callIntrinsic(b, loc, b.getF32Type(), name, value);
  // Towards zero nothing gets too large for the way back.
  Value back;
  if (isSigned)
    back = arith::FPToSIOp::create(b, loc, value.getType(), cut);
  else
    back = arith::FPToUIOp::create(b, loc, value.getType(), cut);
  Value inexact = f.compareInt(Bits::P::ne, back, value);
  return f.float_(f.ori(f.bits(cut), f.wide(inexact)));
}

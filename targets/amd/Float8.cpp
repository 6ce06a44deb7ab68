//===- Float8.cpp - Conversions of 8-bit floats ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CDNA4 and RDNA4 convert the formats of OCP, CDNA3 those without a negative
// zero (FNUZ) ("CDNA3", "CDNA4" and "RDNA4" manuals, V_CVT_F32_FP8,
// V_CVT_PK_FP8_F32 and those of BF8): widening is exact; in the mode that
// kernels start in, what is too large becomes NaN or infinity.
//
// CDNA3 converts those of OCP, too. The format without a negative zero has half
// of each of their numbers, in the same bits: only the sign, and what is no
// number, is put in by other instructions. f8E5M2 is the first byte of an f16.
//
//===----------------------------------------------------------------------===//

#include "Float8.h"
#include "LowerOps.h"
#include "kiln/Math/HalfFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value)));
}

bool amd::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}

bool amd::isFnuz(Type type) {
  return isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
}

StringRef amd::float8Name(Type type) {
  return isa<Float8E5M2Type, Float8E5M2FNUZType>(type) ? "bf8" : "fp8";
}

/// A word that has a byte in it, and which of its bytes that is: of a list of
/// bytes the word that has it, as the instruction chooses.
static std::pair<Value, int64_t> wordOf(OpBuilder &b, Location loc,
                                        Value byte) {
  constexpr int64_t kBytes = 4;
  APInt index;
  auto element = byte.getDefiningOp<LLVM::ExtractElementOp>();
  if (element && matchPattern(element.getPosition(), m_ConstantInt(&index))) {
    auto list = cast<VectorType>(element.getVector().getType());
    int64_t count = list.getNumElements(), at = index.getSExtValue();
    if (count % kBytes == 0) {
      Type word = b.getI32Type();
      Type type = count == kBytes
                      ? word
                      : Type(VectorType::get({count / kBytes}, word));
      Value words = LLVM::BitcastOp::create(b, loc, type, element.getVector());
      if (count > kBytes)
        words = LLVM::ExtractElementOp::create(b, loc, words,
                                               constant(b, loc, at / kBytes));
      return {words, at % kBytes};
    }
  }
  return {arith::ExtUIOp::create(b, loc, b.getI32Type(), byte), 0};
}

static Value floating(OpBuilder &b, Location loc, double value) {
  return LLVM::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
}

/// A byte of a word as f32, by the instruction for a format.
static Value widenByte(OpBuilder &b, Location loc, Type format, Value word,
                       int64_t at) {
  return callIntrinsic(b, loc, b.getF32Type(),
                       ("cvt.f32." + float8Name(format)).str(),
                       {word, constant(b, loc, at)});
}

/// An f8E4M3FN by the instruction for f8E4M3FNUZ: twice its number. The
/// largest one stands for NaN.
static Value widenHalf(OpBuilder &b, Location loc, Type format, Value word,
                       int64_t at) {
  constexpr int64_t kMagnitudes = 0x7f7f7f7f;
  constexpr double kNaN = 240;
  constexpr int64_t kLast = 3, kBits = 8;
  Value magnitudes =
      LLVM::AndOp::create(b, loc, word, constant(b, loc, kMagnitudes));
  Value half = widenByte(b, loc, format, magnitudes, at);
  Value whole = arith::AddFOp::create(b, loc, half, half);
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, half,
                                      floating(b, loc, kNaN));
  whole = arith::SelectOp::create(b, loc, isNaN, floating(b, loc, std::nan("")),
                                  whole);
  Value sign =
      LLVM::ShlOp::create(b, loc, word, constant(b, loc, (kLast - at) * kBits));
  return math::CopySignOp::create(
      b, loc, whole, arith::BitcastOp::create(b, loc, b.getF32Type(), sign));
}

/// An f8E5M2, which is the first byte of an f16, as f32.
static Value widenHead(OpBuilder &b, Location loc, Value byte) {
  constexpr int64_t kBits = 8;
  Type i16 = b.getI16Type();
  Value bits = arith::ExtUIOp::create(b, loc, i16, byte);
  bits = LLVM::ShlOp::create(
      b, loc, bits,
      LLVM::ConstantOp::create(b, loc, b.getI16IntegerAttr(kBits)));
  Value number = arith::BitcastOp::create(b, loc, b.getF16Type(), bits);
  return castFloat(b, loc, number, b.getF32Type());
}

void amd::widenFloat8(arith::ExtFOp op, bool areFnuz, OpBuilder &b) {
  Location loc = op.getLoc();
  Type from = op.getIn().getType(), to = op.getType();
  Value byte = op.getIn();
  if (auto cast = byte.getDefiningOp<arith::BitcastOp>();
      cast && cast.getIn().getType().isInteger(8))
    byte = cast.getIn();
  else
    byte = arith::BitcastOp::create(b, loc, b.getI8Type(), byte);
  Value value;
  if (areFnuz && isa<Float8E5M2Type>(from)) {
    value = widenHead(b, loc, byte);
  } else {
    auto [word, at] = wordOf(b, loc, byte);
    value = areFnuz && !isFnuz(from) ? widenHalf(b, loc, from, word, at)
                                     : widenByte(b, loc, from, word, at);
  }
  op.replaceAllUsesWith(castFloat(b, loc, value, to)); // which is exact
  op.erase();
}

/// A number of f32 that rounds to fewer bits as a number of f64 does: of an
/// inexact one the last bit is 1.
static Value roundToOdd(OpBuilder &b, Location loc, Value x) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  using P = arith::CmpFPredicate;
  Value near = arith::TruncFOp::create(b, loc, f32, x);
  Value back = arith::ExtFOp::create(b, loc, x.getType(), near);
  auto isSo = [&](P predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, lhs, rhs);
  };
  Value isLarger = isSo(P::OGT, math::AbsFOp::create(b, loc, back),
                        math::AbsFOp::create(b, loc, x));
  Value bits = arith::BitcastOp::create(b, loc, i32, near);
  Value one = constant(b, loc, 1);
  Value before = arith::SelectOp::create(
      b, loc, isLarger, arith::SubIOp::create(b, loc, bits, one), bits);
  Value odd = arith::SelectOp::create(b, loc, isSo(P::ONE, back, x),
                                      arith::OrIOp::create(b, loc, before, one),
                                      before);
  return arith::BitcastOp::create(b, loc, f32, odd);
}

/// A word whose first byte is a number of f32 in an 8-bit format.
static Value narrowToByte(OpBuilder &b, Location loc, Type format, Value x) {
  return callIntrinsic(
      b, loc, b.getI32Type(), ("cvt.pk." + float8Name(format) + ".f32").str(),
      {x, x, constant(b, loc, 0),
       LLVM::ConstantOp::create(b, loc, b.getBoolAttr(false))});
}

/// The same for a format of OCP, by the instruction for the one without a
/// negative zero: the half of the magnitude, and the sign. What is too large
/// becomes the first number that f8E4M3FN has as NaN, f8E5M2 as infinity.
static Value narrowHalf(OpBuilder &b, Location loc, Type format, Value x) {
  constexpr int64_t kSigns = 0x80, kShift = 24, kNaN = 0x7e;
  bool hasInfinity = isa<Float8E5M2Type>(format);
  Value half = arith::MulFOp::create(b, loc, math::AbsFOp::create(b, loc, x),
                                     floating(b, loc, 0.5));
  // Of NaN and a number this is the number.
  Value bounded = arith::MinNumFOp::create(
      b, loc, half, floating(b, loc, hasInfinity ? 32768 : 240));
  Value word = narrowToByte(b, loc, format, bounded);
  if (hasInfinity) {
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    word = arith::SelectOp::create(b, loc, isNaN, constant(b, loc, kNaN), word);
  }
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  Value sign = LLVM::AndOp::create(
      b, loc, LLVM::LShrOp::create(b, loc, bits, constant(b, loc, kShift)),
      constant(b, loc, kSigns));
  return LLVM::OrOp::create(b, loc, word, sign);
}

void amd::narrowToFloat8(arith::TruncFOp op, bool areFnuz, OpBuilder &b) {
  Location loc = op.getLoc();
  Type to = op.getType();
  Value x = op.getIn();
  x = x.getType().isF64() ? roundToOdd(b, loc, x)
                          : castFloat(b, loc, x, b.getF32Type());
  Value word = areFnuz && !isFnuz(to) ? narrowHalf(b, loc, to, x)
                                      : narrowToByte(b, loc, to, x);
  Value byte = arith::TruncIOp::create(b, loc, b.getI8Type(), word);
  op.replaceAllUsesWith(arith::BitcastOp::create(b, loc, to, byte).getResult());
  op.erase();
}

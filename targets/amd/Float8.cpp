//===- Float8.cpp - Conversions of 8-bit floats ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CDNA4 and RDNA4 convert the formats of OCP, CDNA3 those without a negative
// zero (FNUZ) ("CDNA3", "CDNA4" and "RDNA4" manuals, V_CVT_F32_FP8,
// V_CVT_PK_FP8_F32 and those of BF8): widening is exact; in the mode that
// kernels start in, what is too large becomes NaN or infinity.
//
//===----------------------------------------------------------------------===//

#include "Float8.h"
#include "LowerOps.h"
#include "kiln/Math/HalfFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

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

void amd::widenFloat8(arith::ExtFOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Type from = op.getIn().getType(), to = op.getType();
  Value byte = op.getIn();
  if (auto cast = byte.getDefiningOp<arith::BitcastOp>();
      cast && cast.getIn().getType().isInteger(8))
    byte = cast.getIn();
  else
    byte = arith::BitcastOp::create(b, loc, b.getI8Type(), byte);
  auto [word, at] = wordOf(b, loc, byte);
  Value value = callIntrinsic(b, loc, b.getF32Type(),
                              ("cvt.f32." + float8Name(from)).str(),
                              {word, constant(b, loc, at)});
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

void amd::narrowToFloat8(arith::TruncFOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value x = op.getIn();
  x = x.getType().isF64() ? roundToOdd(b, loc, x)
                          : castFloat(b, loc, x, b.getF32Type());
  Value word =
      callIntrinsic(b, loc, b.getI32Type(),
                    ("cvt.pk." + float8Name(op.getType()) + ".f32").str(),
                    {x, x, constant(b, loc, 0),
                     LLVM::ConstantOp::create(b, loc, b.getBoolAttr(false))});
  Value byte = arith::TruncIOp::create(b, loc, b.getI8Type(), word);
  op.replaceAllUsesWith(
      arith::BitcastOp::create(b, loc, op.getType(), byte).getResult());
  op.erase();
}

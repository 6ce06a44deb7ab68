// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs in arithmetic, functions and conversions.
#include "Bugs.h"
#include <cmath>

using namespace bugs;

/// Replaces an operation of two operands by another of the same types.
template <typename From, typename To> static void swapFor(const char *name) {
  add<From>(name, [](From op) {
    Site s(op);
    replace(op, s.make<To>(op->getOperand(0), op->getOperand(1)));
  });
}

/// Multiplies the result by a number near to 1.
template <typename OpT>
static void addRelative(const char *name, double error) {
  add<OpT>(name, [error](OpT op) {
    if (!isa<Float32Type>(getElementTypeOrSelf(op->getResult(0).getType())))
      return;
    Site s(op);
    s.b.setInsertionPointAfter(op);
    Value factor = s.constantLike(op->getResult(0), 1 + error);
    auto off = arith::MulFOp::create(s.b, s.loc, op->getResult(0), factor);
    replaceExcept(op, off, {off});
  });
}

static void addFloatBugs() {
  addRelative<arith::AddFOp>("relative-error", 1e-4);
  addRelative<math::ExpOp>("exp-is-coarse", 1e-6);
  swapFor<arith::MaximumFOp, arith::MaxNumFOp>("max-drops-nan");
  add<arith::MinimumFOp>("min-forgets-zero-signs", [](arith::MinimumFOp op) {
    Site s(op);
    Value less = s.make<arith::CmpFOp>(arith::CmpFPredicate::ULE, op.getLhs(),
                                       op.getRhs());
    replace(op, s.make<arith::SelectOp>(less, op.getLhs(), op.getRhs()));
  });
  add<arith::DivFOp>("divides-by-reciprocal", [](arith::DivFOp op) {
    Site s(op);
    Value one = s.constantLike(op.getRhs(), 1);
    Value inverse = s.make<arith::DivFOp>(one, op.getRhs());
    replace(op, s.make<arith::MulFOp>(op.getLhs(), inverse));
  });
  add<arith::NegFOp>("negates-by-subtracting", [](arith::NegFOp op) {
    Site s(op);
    replace(op, s.make<arith::SubFOp>(s.constantLike(op.getOperand(), 0),
                                      op.getOperand()));
  });
  add<math::SqrtOp>("root-by-reciprocal", [](math::SqrtOp op) {
    Site s(op);
    Value inverse = s.make<math::RsqrtOp>(op.getOperand());
    replace(op, s.make<arith::MulFOp>(op.getOperand(), inverse));
  });
  add<math::FmaOp>("fma-rounds-twice", [](math::FmaOp op) {
    Site s(op);
    Value product = s.make<arith::MulFOp>(op.getA(), op.getB());
    replace(op, s.make<arith::AddFOp>(product, op.getC()));
  });
  add<math::RoundEvenOp>("ties-away-from-zero", [](math::RoundEvenOp op) {
    Site s(op);
    replace(op, s.make<math::RoundOp>(op.getOperand()));
  });
  add<math::AbsFOp>("flushes-subnormals", [](math::AbsFOp op) {
    if (!isa<Float32Type>(getElementTypeOrSelf(op.getType())))
      return;
    Site s(op);
    s.b.setInsertionPointAfter(op);
    Value zero = s.constantLike(op, 0), least = s.constantLike(op, 0x1p-126);
    auto small =
        arith::CmpFOp::create(s.b, s.loc, arith::CmpFPredicate::OLT, op, least);
    auto flushed = arith::SelectOp::create(s.b, s.loc, small, zero, op);
    replaceExcept(op, flushed, {small, flushed});
  });
  add<math::AbsFOp>("loses-bits-of-nan", [](math::AbsFOp op) {
    Site s(op);
    s.b.setInsertionPointAfter(op);
    Value operand = op.getOperand();
    Value plain = s.constantLike(op, std::nan(""));
    auto isNaN = arith::CmpFOp::create(s.b, s.loc, arith::CmpFPredicate::UNO,
                                       operand, operand);
    auto kept = arith::SelectOp::create(s.b, s.loc, isNaN, plain, op);
    replaceExcept(op, kept, {isNaN, kept});
  });
  add<arith::CmpFOp>("nan-is-less", [](arith::CmpFOp op) {
    if (op.getPredicate() == arith::CmpFPredicate::OLT)
      op.setPredicate(arith::CmpFPredicate::ULT);
  });
}

static void addConversionBugs() {
  add<arith::TruncFOp>("bf16-truncated", [](arith::TruncFOp op) {
    Type from = op.getIn().getType();
    if (!isa<BFloat16Type>(getElementTypeOrSelf(op.getType())) ||
        !isa<Float32Type>(getElementTypeOrSelf(from)))
      return;
    Site s(op);
    Type ints = s.like(from, s.b.getI32Type());
    Type shorts = s.like(from, s.b.getIntegerType(16));
    Value bits = s.make<arith::BitcastOp>(ints, op.getIn());
    Value high = s.make<arith::ShRUIOp>(bits, s.constant(ints, 16));
    Value low = s.make<arith::TruncIOp>(shorts, high);
    replace(op, s.make<arith::BitcastOp>(op.getType(), low));
  });
  add<arith::SIToFPOp>("signs-are-lost", [](arith::SIToFPOp op) {
    Site s(op);
    replace(op, s.make<arith::UIToFPOp>(op.getType(), op.getIn()));
  });
  add<arith::ExtSIOp>("extends-with-zeros", [](arith::ExtSIOp op) {
    Site s(op);
    replace(op, s.make<arith::ExtUIOp>(op.getType(), op.getIn()));
  });
  add<tile::ConvertFloatOp>(
      "fp8-saturates", [](tile::ConvertFloatOp op) { op.setSaturate(true); });
  add<tile::ConvertFloatOp>("rounds-to-nearest", [](tile::ConvertFloatOp op) {
    op.setRounding(tile::Rounding::nearest_even);
  });
}

static void addIntegerBugs() {
  swapFor<arith::DivSIOp, arith::FloorDivSIOp>("divides-down");
  swapFor<arith::RemSIOp, arith::RemUIOp>("remainder-is-unsigned");
  swapFor<arith::ShRUIOp, arith::ShRSIOp>("shift-keeps-sign");
  swapFor<arith::MaxUIOp, arith::MaxSIOp>("max-is-signed");
  add<arith::CmpIOp>("compares-signed", [](arith::CmpIOp op) {
    if (op.getPredicate() == arith::CmpIPredicate::ult)
      op.setPredicate(arith::CmpIPredicate::slt);
  });
  add<arith::SelectOp>("selects-the-other", [](arith::SelectOp op) {
    Value left = op.getTrueValue(), right = op.getFalseValue();
    op.getTrueValueMutable().assign(right);
    op.getFalseValueMutable().assign(left);
  });
  add<math::CountLeadingZerosOp>(
      "zeros-of-zero", [](math::CountLeadingZerosOp op) {
        Site s(op);
        s.b.setInsertionPointAfter(op);
        Value zero = s.constantLike(op, 0);
        auto isZero = arith::CmpIOp::create(
            s.b, s.loc, arith::CmpIPredicate::eq, op.getOperand(), zero);
        auto wrong = arith::SelectOp::create(s.b, s.loc, isZero, zero, op);
        replaceExcept(op, wrong, {wrong});
      });
}

void bugs::addComputeBugs() {
  addFloatBugs();
  addConversionBugs();
  addIntegerBugs();
}

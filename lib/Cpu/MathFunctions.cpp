//===- MathFunctions.cpp - Functions on registers -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials in f32 with errors below 2.5 units in the last place over the
// whole range, subnormals, infinities and NaN included; coefficients are
// weighted minimax fits.
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"
#include "Lanes.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// Short names for operations on registers of one shape.
struct F32 : Lanes {
  using Lanes::Lanes;
  using CmpF = arith::CmpFPredicate;

  Value fma(Value x, Value y, Value z) const {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value mul(Value x, Value y) const {
    return arith::MulFOp::create(b, loc, x, y);
  }
  Value add(Value x, Value y) const {
    return arith::AddFOp::create(b, loc, x, y);
  }
  Value sub(Value x, Value y) const {
    return arith::SubFOp::create(b, loc, x, y);
  }
  Value abs(Value x) const { return math::AbsFOp::create(b, loc, x); }
  Value less(Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, CmpF::OLT, x, y);
  }
  Value select(Value c, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, c, x, y);
  }
  /// Whether a condition holds in every lane.
  Value allLanes(Value c) const;
  Value copysign(Value x, Value y) const {
    return math::CopySignOp::create(b, loc, x, y);
  }
  Value bits(Value x) const {
    return arith::BitcastOp::create(b, loc, type(b.getI32Type()), x);
  }
  Value float_(Value x) const {
    return arith::BitcastOp::create(b, loc, type(b.getF32Type()), x);
  }
  Value addi(Value x, Value y) const {
    return arith::AddIOp::create(b, loc, x, y);
  }
  Value subi(Value x, Value y) const {
    return arith::SubIOp::create(b, loc, x, y);
  }
  Value shl(Value x, int64_t by) const {
    return arith::ShLIOp::create(b, loc, x, i32(by));
  }
  Value sar(Value x, int64_t by) const {
    return arith::ShRSIOp::create(b, loc, x, i32(by));
  }
  /// Horner's rule, lowest coefficient first.
  Value polynomial(Value x, ArrayRef<double> coefficients) const {
    Value sum = f32(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, f32(c));
    return sum;
  }
  /// 2^n for n in [-126, 127].
  Value power(Value n) const { return float_(shl(addi(n, i32(127)), 23)); }

  /// Rounds x * scale to an integer: its value, and as i32 in `integer`. NaN
  /// gives NaN and some integer.
  Value nearest(Value x, double scale, Value &integer) const {
    Value magic = f32(12582912.0);
    Value shifted = fma(x, f32(scale), magic);
    integer = subi(bits(shifted), i32(0x4B400000));
    return sub(shifted, magic);
  }

  /// e^x as y * 2^n, with y near 1 and n = `shifted` modulo 2^9.
  Value expParts(Value x, Value &shifted) const {
    Value magic = f32(12582912.0);
    shifted = fma(x, f32(1.44269504088896341), magic);
    Value whole = sub(shifted, magic);
    Value r = fma(whole, f32(-0.693145751953125), x);
    r = fma(whole, f32(-1.42860676533018719e-06), r);
    Value p = polynomial(r, {0.4999999403953552, 0.16666515171527863,
                             0.04166845977306366, 0.008369426243007183,
                             0.0013813064433634281});
    return add(fma(mul(r, r), p, r), f32(1.0));
  }

  Value expEverywhere(Value x) const {
    // Beyond these the result is 0 or infinity; NaN compares false.
    x = select(less(x, f32(-104.0)), f32(-104.0), x);
    x = select(less(f32(89.0), x), f32(89.0), x);
    Value shifted;
    Value y = expParts(x, shifted);
    // In two steps, so that subnormal results are rounded once.
    Value n = subi(bits(shifted), i32(0x4B400000));
    Value half = sar(n, 1);
    return mul(mul(y, power(half)), power(subi(n, half)));
  }

  /// A short way where all lanes are in [-87, 87], else the general one.
  Value exp(Value x) const {
    Value fine = arith::CmpFOp::create(b, loc, CmpF::OLE, abs(x), f32(87.0));
    auto choice = scf::IfOp::create(b, loc, TypeRange{x.getType()},
                                    allLanes(fine), true, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value shifted;
    Value y = expParts(x, shifted);
    // The exponent goes up by n; higher bits of `shifted` leave the register.
    scf::YieldOp::create(b, loc, float_(addi(bits(y), shl(bits(shifted), 23))));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, expEverywhere(x));
    return choice.getResult(0);
  }

  Value log(Value x) const {
    Value tiny = less(x, f32(1.17549435e-38));
    Value scaled = select(tiny, mul(x, f32(8388608.0)), x);
    Value raw = bits(scaled);
    // Mantissa in [sqrt(1/2), sqrt(2)), exponent in e.
    Value e = sar(subi(raw, i32(0x3f3504f3)), 23);
    Value f = sub(float_(subi(raw, shl(e, 23))), f32(1.0));
    e = subi(e, select(tiny, i32(23), i32(0)));
    Value k = arith::SIToFPOp::create(b, loc, type(b.getF32Type()), e);
    Value p = polynomial(f, {0.3333333134651184, -0.250008225440979,
                             0.2000121772289276, -0.16623321175575256,
                             0.14201951026916504, -0.13160714507102966,
                             0.12760421633720398, -0.07631657272577286});
    Value tail = mul(fma(f, p, f32(-0.5)), mul(f, f));
    Value y = add(f, fma(k, f32(-2.12194440e-4), tail));
    y = fma(k, f32(0.693359375), y);
    double inf = std::numeric_limits<double>::infinity();
    y = select(less(x, f32(inf)), y, x); // infinity and NaN
    Value zero = f32(0.0);
    y = select(less(x, zero), f32(std::numeric_limits<double>::quiet_NaN()), y);
    Value isZero = arith::CmpFOp::create(b, loc, CmpF::OEQ, x, zero);
    return select(isZero, f32(-inf), y);
  }

  Value tanh(Value x) const {
    Value a = abs(x), s = mul(x, x);
    Value p = polynomial(s, {-0.33333247900009155, 0.1333054006099701,
                             -0.05366479605436325, 0.020397305488586426,
                             -0.005438837688416243});
    Value small = fma(mul(x, s), p, x);
    Value e = exp(add(a, a));
    Value quotient = arith::DivFOp::create(b, loc, f32(2.0), add(e, f32(1.0)));
    Value large = sub(f32(1.0), quotient);
    // The sign of a zero too.
    return copysign(select(less(a, f32(0.65)), small, large), x);
  }

  Value erf(Value x) const {
    Value a = abs(x), s = mul(x, x);
    Value p = polynomial(s, {0.12837915122509003, -0.3761247992515564,
                             0.11281681805849075, -0.026761706918478012,
                             0.004985924810171127, -0.0005953669315204024});
    Value small = fma(x, p, x);
    Value t = select(less(f32(3.95), a), f32(3.95), a);
    Value q = polynomial(t, {0.1286371499300003, 0.6351976990699768,
                             0.10615959018468857, -0.02369503490626812,
                             0.003610563464462757, -0.00031491226400248706,
                             1.043846714310348e-05});
    Value power = fma(t, q, t);
    Value large = sub(f32(1.0), exp(sub(f32(0.0), power)));
    return select(less(a, f32(0.92)), small, copysign(large, x));
  }

  /// sin for `quarter` 0, cos for 1; |x| at most kTrigLimit.
  Value trigonometric(Value x, int64_t quarter) const {
    Value n;
    Value whole = nearest(x, 0.636619772367581343, n);
    Value r = fma(whole, f32(-1.57079637050628662109375), x);
    r = fma(whole, f32(4.37113882867379225e-08), r);
    r = fma(whole, f32(1.71512451000588e-15), r);
    Value s = mul(r, r);
    Value sine =
        fma(mul(r, s),
            polynomial(s, {-0.1666666716337204, 0.008333329111337662,
                           -0.00019839232845697552, 2.717365759963286e-06}),
            r);
    Value cosine =
        fma(mul(s, s),
            polynomial(s, {0.0416666679084301, -0.0013888883404433727,
                           2.4799372113193385e-05, -2.719861811328883e-07}),
            fma(s, f32(-0.5), f32(1.0)));
    if (quarter)
      n = addi(n, i32(quarter));
    Value odd =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                              arith::AndIOp::create(b, loc, n, i32(1)), i32(0));
    Value y = select(odd, cosine, sine);
    Value sign = shl(arith::AndIOp::create(b, loc, n, i32(2)), 30);
    Value result = float_(arith::XOrIOp::create(b, loc, bits(y), sign));
    if (quarter)
      return result;
    // The sine of zero keeps its sign, which the sum above loses.
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, f32(0.0));
    return select(isZero, x, result);
  }
};

Value F32::allLanes(Value c) const {
  if (!vector)
    return c;
  return mlir::vector::ReductionOp::create(b, loc,
                                           mlir::vector::CombiningKind::AND, c);
}

/// Where the reduction of sin and cos to a quarter turn stays exact.
constexpr double kTrigLimit = 30000.0;

/// The function of libm for an operation, without the suffix of its type.
StringRef libmName(Operation *op) {
  if (auto call = dyn_cast<tile::CallExternOp>(op))
    return call.getSymbol();
  return llvm::StringSwitch<StringRef>(op->getName().stripDialect())
      .Case("powf", "pow")
      .Default(op->getName().stripDialect());
}

/// The declaration of a function of libm.
func::FuncOp declareLibm(OpBuilder &b, Location loc, Operation *op,
                         ArrayRef<Type> arguments, Type result) {
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  bool isSingle =
      llvm::any_of(arguments, [](Type type) { return type.isF32(); });
  std::string name = (libmName(op) + (isSingle ? "f" : "")).str();
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(b, loc, name,
                                       b.getFunctionType(arguments, {result}));
  function.setPrivate();
  // No errno, so that calls may move and go away.
  function->setAttr("llvm.memory_effects",
                    LLVM::MemoryEffectsAttr::get(
                        b.getContext(), LLVM::ModRefInfo::NoModRef,
                        LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef,
                        LLVM::ModRefInfo::NoModRef, LLVM::ModRefInfo::NoModRef,
                        LLVM::ModRefInfo::NoModRef));
  return function;
}

/// Calls of libm, lane by lane.
Value byLanes(OpBuilder &b, Location loc, Operation *op, ValueRange operands,
              Type result) {
  SmallVector<Type> arguments;
  for (Value operand : operands)
    arguments.push_back(getElementTypeOrSelf(operand.getType()));
  func::FuncOp function =
      declareLibm(b, loc, op, arguments, getElementTypeOrSelf(result));
  auto vector = dyn_cast<VectorType>(result);
  if (!vector)
    return func::CallOp::create(b, loc, function, operands).getResult(0);
  Value all = arith::ConstantOp::create(b, loc, b.getZeroAttr(vector));
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(b, loc, operand, lane));
    Value one = func::CallOp::create(b, loc, function, scalars).getResult(0);
    all = vector::InsertOp::create(b, loc, one, all, lane);
  }
  return all;
}

/// sin and cos: polynomials, or libm where a lane is too large for them.
Value emitTrigonometric(OpBuilder &b, Location loc, Operation *op, Value x,
                        int64_t quarter) {
  F32 f(b, loc, x.getType());
  Value fine = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE,
                                     f.abs(x), f.f32(kTrigLimit));
  fine = f.allLanes(fine);
  auto choice =
      scf::IfOp::create(b, loc, TypeRange{x.getType()}, fine, true, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, loc, f.trigonometric(x, quarter));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, byLanes(b, loc, op, x, x.getType()));
  return choice.getResult(0);
}
} // namespace

Value cpu::emitMathFunction(OpBuilder &b, Location loc, Operation *op,
                            ValueRange operands, Type result) {
  if (isa<tile::CallExternOp>(op))
    return byLanes(b, loc, op, operands, result);
  if (!isa<math::MathDialect>(op->getDialect()))
    return nullptr;
  if (isa<math::SqrtOp, math::FmaOp, math::FloorOp, math::CeilOp, math::TruncOp,
          math::RoundOp, math::RoundEvenOp, math::AbsFOp, math::AbsIOp,
          math::CopySignOp, math::CountLeadingZerosOp,
          math::CountTrailingZerosOp, math::CtPopOp, math::IsNaNOp,
          math::IsFiniteOp>(op))
    return nullptr;
  F32 f(b, loc, operands[0].getType());
  Type element = getElementTypeOrSelf(operands[0].getType());
  if (isa<math::IsInfOp, math::IsNormalOp>(op)) {
    // By the type of the operation: registers may be wider.
    Type own = getElementTypeOrSelf(op->getOperand(0).getType());
    const llvm::fltSemantics &semantics =
        cast<FloatType>(own).getFloatSemantics();
    bool ignored;
    APFloat least = APFloat::getSmallestNormalized(semantics);
    least.convert(cast<FloatType>(element).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &ignored);
    Value size = math::AbsFOp::create(b, loc, operands[0]);
    Value infinity = f.constant(b.getFloatAttr(
        element,
        APFloat::getInf(cast<FloatType>(element).getFloatSemantics())));
    using P = arith::CmpFPredicate;
    if (isa<math::IsInfOp>(op))
      return arith::CmpFOp::create(b, loc, P::OEQ, size, infinity);
    Value finite = arith::CmpFOp::create(b, loc, P::OLT, size, infinity);
    Value large = arith::CmpFOp::create(
        b, loc, P::OGE, size, f.constant(b.getFloatAttr(element, least)));
    return arith::AndIOp::create(b, loc, finite, large);
  }
  if (isa<math::RsqrtOp>(op)) {
    Value root = math::SqrtOp::create(b, loc, operands[0]);
    Value one = f.constant(b.getFloatAttr(element, 1.0));
    return arith::DivFOp::create(b, loc, one, root);
  }
  if (isa<math::ClampFOp>(op))
    return arith::MinimumFOp::create(
        b, loc, arith::MaximumFOp::create(b, loc, operands[0], operands[1]),
        operands[2]);
  if (isa<math::FPowIOp>(op)) {
    Value exponent = arith::SIToFPOp::create(b, loc, result, operands[1]);
    auto power = math::PowFOp::create(b, loc, operands[0], exponent);
    Value value = byLanes(b, loc, power, power->getOperands(), result);
    power.erase();
    return value;
  }
  if (element.isF32()) {
    if (isa<math::ExpOp>(op))
      return f.exp(operands[0]);
    if (isa<math::LogOp>(op))
      return f.log(operands[0]);
    if (isa<math::TanhOp>(op))
      return f.tanh(operands[0]);
    if (isa<math::ErfOp>(op))
      return f.erf(operands[0]);
    if (isa<math::SinOp>(op))
      return emitTrigonometric(b, loc, op, operands[0], 0);
    if (isa<math::CosOp>(op))
      return emitTrigonometric(b, loc, op, operands[0], 1);
  }
  return byLanes(b, loc, op, operands, result);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// math: functions, correctly rounded up to f32.
#include "mlir/Dialect/Math/IR/Math.h"
#include "Lanes.h"
#include "kiln/Eval/Perturb.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

template <typename OpTy>
void addFunction(EvaluationInterface &table, WideFunction fn, int ulps) {
  table.add<OpTy>([fn, ulps](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    Value out = sameForm(a, a.dtype());
    evaluateWithin(ulps, out, [&](Value &to) { mapFunction(a, to, fn); });
    spreadPoison(out, {&a});
    return frame.set(op->getResult(0), std::move(out));
  });
}

template <typename OpTy>
void addFunction2(EvaluationInterface &table, double (*narrow)(double, double),
                  long double (*wide)(long double, long double), int ulps) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    const Value &b = frame.get(op->getOperand(1));
    Value out = sameForm(a, a.dtype());
    evaluateWithin(ulps, out,
                   [&](Value &to) { mapFunction(a, b, to, narrow, wide); });
    spreadPoison(out, {&a, &b});
    return frame.set(op->getResult(0), std::move(out));
  });
}

template <typename OpTy, typename Fn>
void addTest(EvaluationInterface &table, Fn fn) {
  table.add<OpTy>([fn](OpTy op, Frame &frame) -> LogicalResult {
    if (failed(checkLanes(op, frame)))
      return failure();
    const Value &a = frame.get(op->getOperand(0));
    Value out = sameForm(a, DType::i1);
    double least = smallestNormal(a.dtype());
    compareFloats(a, a, out,
                  [fn, least](double x, double) { return fn(x, least); });
    spreadPoison(out, {&a});
    return frame.set(op->getResult(0), std::move(out));
  });
}

double rsqrt(double x) { return 1 / std::sqrt(x); }
long double rsqrt(long double x) { return 1 / std::sqrt(x); }

LogicalResult fma(math::FmaOp op, Frame &frame) {
  if (failed(checkLanes(op, frame)))
    return failure();
  const Value &a = frame.get(op.getA()), &b = frame.get(op.getB());
  const Value &c = frame.get(op.getC());
  Value out = sameForm(a, a.dtype());
  mapFused(a, b, c, out);
  spreadPoison(out, {&a, &b, &c});
  return frame.set(op.getResult(), std::move(out));
}

/// Repeated multiplication; a negative exponent gives the truncated quotient.
int64_t power(int64_t x, int64_t y) {
  if (y < 0)
    return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
  uint64_t result = 1, base = x;
  for (; y; y >>= 1, base *= base)
    if (y & 1)
      result *= base;
  return static_cast<int64_t>(result);
}

LogicalResult floatToIntPower(math::FPowIOp op, Frame &frame) {
  if (failed(checkLanes(op, frame)))
    return failure();
  const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
  Value exponent = sameForm(b, DType::f64), out = sameForm(a, a.dtype());
  int64_t y[kChunk];
  for (int64_t i = 0; i < b.size(); i += kChunk) {
    int64_t n = std::min(kChunk, b.size() - i);
    loadInts(b.dtype(), b.data(), i, n, y, Extend::sign);
    for (int64_t k = 0; k < n; ++k)
      exponent.as<double>()[i + k] = static_cast<double>(y[k]);
  }
  evaluateWithin(16, out, [&](Value &to) {
    mapFunction(a, exponent, to, std::pow, powl);
  });
  spreadPoison(out, {&a, &b});
  return frame.set(op.getResult(), std::move(out));
}

void addExact(EvaluationInterface &table) {
  using namespace math;
  addSignOp<AbsFOp>(
      table, [](uint64_t x, uint64_t, uint64_t sign) { return x & ~sign; },
      [](double x, double) { return std::fabs(x); });
  addUnaryFloats<CeilOp>(table, [](double x) { return std::ceil(x); });
  addUnaryFloats<FloorOp>(table, [](double x) { return std::floor(x); });
  addUnaryFloats<TruncOp>(table, [](double x) { return std::trunc(x); });
  addUnaryFloats<RoundOp>(table, [](double x) { return std::round(x); });
  addUnaryFloats<RoundEvenOp>(table,
                              [](double x) { return std::nearbyint(x); });
  addUnaryFloats<SqrtOp>(table, [](double x) { return std::sqrt(x); });
  addSignOp<CopySignOp>(
      table,
      [](uint64_t x, uint64_t y, uint64_t sign) {
        return (x & ~sign) | (y & sign);
      },
      [](double x, double y) { return std::copysign(x, y); });
  table.add<FmaOp>(fma);
  addUnaryInts<AbsIOp>(table, [](uint64_t x, int w) -> int64_t {
    return x >> (w - 1) & 1 ? 0 - x : x;
  });
  addUnaryInts<CountLeadingZerosOp>(table, [](uint64_t x, int w) -> int64_t {
    return llvm::countl_zero(x) - (64 - w);
  });
  addUnaryInts<CountTrailingZerosOp>(table, [](uint64_t x, int w) -> int64_t {
    return x ? llvm::countr_zero(x) : w;
  });
  addUnaryInts<CtPopOp>(
      table, [](uint64_t x, int) -> int64_t { return llvm::popcount(x); });
  addInts<IPowIOp>(table, Extend::sign, power);
  addTest<IsNaNOp>(table, [](double x, double) { return x != x; });
  addTest<IsInfOp>(table, [](double x, double) { return std::isinf(x); });
  addTest<IsFiniteOp>(table, [](double x, double) { return std::isfinite(x); });
  addTest<IsNormalOp>(table, [](double x, double least) {
    return std::isfinite(x) && std::fabs(x) >= least;
  });
}

/// One function for each operation of math.
struct MathEvaluation : EvaluationInterface {
  explicit MathEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    using namespace math;
    addExact(*this);
    addFunction<ExpOp>(*this, {std::exp, expl}, 2);
    addFunction<Exp2Op>(*this, {std::exp2, exp2l}, 2);
    addFunction<ExpM1Op>(*this, {std::expm1, expm1l}, 2);
    addFunction<LogOp>(*this, {std::log, logl}, 2);
    addFunction<Log2Op>(*this, {std::log2, log2l}, 2);
    addFunction<Log10Op>(*this, {std::log10, log10l}, 2);
    addFunction<Log1pOp>(*this, {std::log1p, log1pl}, 2);
    addFunction<SinOp>(*this, {std::sin, sinl}, 4);
    addFunction<CosOp>(*this, {std::cos, cosl}, 4);
    addFunction<TanOp>(*this, {std::tan, tanl}, 4);
    addFunction<AsinOp>(*this, {std::asin, asinl}, 4);
    addFunction<AcosOp>(*this, {std::acos, acosl}, 4);
    addFunction<AtanOp>(*this, {std::atan, atanl}, 4);
    addFunction<SinhOp>(*this, {std::sinh, sinhl}, 4);
    addFunction<CoshOp>(*this, {std::cosh, coshl}, 4);
    addFunction<TanhOp>(*this, {std::tanh, tanhl}, 4);
    addFunction<AsinhOp>(*this, {std::asinh, asinhl}, 4);
    addFunction<AcoshOp>(*this, {std::acosh, acoshl}, 4);
    addFunction<AtanhOp>(*this, {std::atanh, atanhl}, 4);
    addFunction<ErfOp>(*this, {std::erf, erfl}, 4);
    addFunction<ErfcOp>(*this, {std::erfc, erfcl}, 4);
    addFunction<CbrtOp>(*this, {std::cbrt, cbrtl}, 4);
    addFunction<RsqrtOp>(*this, {rsqrt, rsqrt}, 2);
    addFunction2<PowFOp>(*this, std::pow, powl, 16);
    addFunction2<Atan2Op>(*this, std::atan2, atan2l, 4);
    add<FPowIOp>(floatToIntPower);
    add<SincosOp>([](SincosOp op, Frame &frame) -> LogicalResult {
      if (failed(checkLanes(op, frame)))
        return failure();
      const Value a = frame.get(op.getOperand());
      Value sine = sameForm(a, a.dtype()), cosine = sameForm(a, a.dtype());
      evaluateWithin(4, sine,
                     [&](Value &to) { mapFunction(a, to, {std::sin, sinl}); });
      evaluateWithin(4, cosine,
                     [&](Value &to) { mapFunction(a, to, {std::cos, cosl}); });
      spreadPoison(sine, {&a});
      spreadPoison(cosine, {&a});
      (void)frame.set(op->getResult(0), std::move(sine));
      return frame.set(op->getResult(1), std::move(cosine));
    });
    add<ClampFOp>([](ClampFOp op, Frame &frame) -> LogicalResult {
      if (failed(checkLanes(op, frame)))
        return failure();
      const Value &x = frame.get(op.getValue());
      const Value &low = frame.get(op.getMin()), &high = frame.get(op.getMax());
      Value lower = sameForm(x, x.dtype()), out = sameForm(x, x.dtype());
      // NaN in the value stays.
      mapFloats(x, low, lower,
                [](double a, double b) { return a < b ? b : a; });
      mapFloats(lower, high, out,
                [](double a, double b) { return a > b ? b : a; });
      spreadPoison(out, {&x, &low, &high});
      return frame.set(op.getResult(), std::move(out));
    });
  }
};

} // namespace

void registerMathEvaluation(DialectRegistry &registry) {
  registry.insert<math::MathDialect>();
  registry.addExtension(+[](MLIRContext *, math::MathDialect *dialect) {
    dialect->addInterfaces<MathEvaluation>();
  });
}

} // namespace kiln::eval

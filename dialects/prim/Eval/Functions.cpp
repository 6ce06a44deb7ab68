// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendental functions.
#include "Families.h"
#include "kiln/Eval/Perturb.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

template <typename OpTy>
void addFunction(PrimTable &table, WideFunction fn, double ulps) {
  table.add<OpTy>([fn, ulps](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op->getOperand(0));
    Value out = Value::tensor(a.dtype(), a.shape());
    evaluateWithin(ulps, out, [&](Value &to) { mapFunction(a, to, fn); });
    return finish(op, frame, std::move(out));
  });
}

/// The same for two operands.
template <typename OpTy>
void addFunction(PrimTable &table, double (*narrow)(double, double),
                 long double (*wide)(long double, long double), double ulps) {
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
    if (failed(sameShape(op, {a, b})))
      return failure();
    Value out = Value::tensor(a.dtype(), a.shape());
    evaluateWithin(ulps, out,
                   [&](Value &to) { mapFunction(a, b, to, narrow, wide); });
    return finish(op, frame, std::move(out));
  });
}

double rsqrt(double x) { return 1 / std::sqrt(x); }
long double rsqrt(long double x) { return 1 / std::sqrt(x); }

} // namespace

void addPrimFunctions(PrimTable &table) {
  using namespace prim;
  addFunction<ExpOp>(table, {std::exp, expl}, 2);
  addFunction<Exp2Op>(table, {std::exp2, exp2l}, 2);
  addFunction<Expm1Op>(table, {std::expm1, expm1l}, 2);
  addFunction<LogOp>(table, {std::log, logl}, 2);
  addFunction<Log1pOp>(table, {std::log1p, log1pl}, 2);
  addFunction<SinOp>(table, {std::sin, sinl}, 4);
  addFunction<CosOp>(table, {std::cos, cosl}, 4);
  addFunction<TanhOp>(table, {std::tanh, tanhl}, 4);
  addFunction<ErfOp>(table, {std::erf, erfl}, 4);
  addFunction<RsqrtOp>(table, {rsqrt, rsqrt}, 2);
  addFunction<TanOp>(table, {std::tan, tanl}, 4);
  addFunction<AsinOp>(table, {std::asin, asinl}, 4);
  addFunction<AcosOp>(table, {std::acos, acosl}, 4);
  addFunction<AtanOp>(table, {std::atan, atanl}, 4);
  addFunction<SinhOp>(table, {std::sinh, sinhl}, 4);
  addFunction<CoshOp>(table, {std::cosh, coshl}, 4);
  addFunction<AsinhOp>(table, {std::asinh, asinhl}, 4);
  addFunction<AcoshOp>(table, {std::acosh, acoshl}, 4);
  addFunction<AtanhOp>(table, {std::atanh, atanhl}, 4);
  addFunction<Log2Op>(table, {std::log2, log2l}, 2);
  addFunction<Log10Op>(table, {std::log10, log10l}, 2);
  addFunction<CbrtOp>(table, {std::cbrt, cbrtl}, 4);
  addFunction<ErfcOp>(table, {std::erfc, erfcl}, 4);
  addFunction<Atan2Op>(table, std::atan2, atan2l, 4);
  addFunction<HypotOp>(table, std::hypot, hypotl, 2);
}

} // namespace kiln::eval

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendental functions.
#include "Families.h"
#include "kiln/Eval/Perturb.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

template <typename OpTy>
void addFunction(EvaluationInterface &table, WideFunction fn, double ulps) {
  table.add<OpTy>([fn, ulps](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op->getOperand(0));
    Value out = Value::tensor(a.dtype(), a.shape());
    evaluateWithin(ulps, out, [&](Value &to) { mapFunction(a, to, fn); });
    return finish(op, frame, std::move(out));
  });
}

double rsqrt(double x) { return 1 / std::sqrt(x); }
long double rsqrt(long double x) { return 1 / std::sqrt(x); }

} // namespace

void addPrimFunctions(EvaluationInterface &table) {
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
}

} // namespace kiln::eval

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendental functions.
#include "Families.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

template <typename OpTy>
void addFunction(EvaluationInterface &table, WideFunction fn) {
  table.add<OpTy>([fn](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op->getOperand(0));
    Value out = Value::tensor(a.dtype(), a.shape());
    mapFunction(a, out, fn);
    return finish(op, frame, std::move(out));
  });
}

double rsqrt(double x) { return 1 / std::sqrt(x); }
long double rsqrt(long double x) { return 1 / std::sqrt(x); }

} // namespace

void addPrimFunctions(EvaluationInterface &table) {
  using namespace prim;
  addFunction<ExpOp>(table, {std::exp, expl});
  addFunction<Exp2Op>(table, {std::exp2, exp2l});
  addFunction<Expm1Op>(table, {std::expm1, expm1l});
  addFunction<LogOp>(table, {std::log, logl});
  addFunction<Log1pOp>(table, {std::log1p, log1pl});
  addFunction<SinOp>(table, {std::sin, sinl});
  addFunction<CosOp>(table, {std::cos, cosl});
  addFunction<TanhOp>(table, {std::tanh, tanhl});
  addFunction<ErfOp>(table, {std::erf, erfl});
  addFunction<RsqrtOp>(table, {rsqrt, rsqrt});
}

} // namespace kiln::eval

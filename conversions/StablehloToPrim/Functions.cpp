// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one number of StableHLO.
#include "Narrow.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// A function that prim has under `name`, and complex numbers under the name
/// that StableHLO gives it.
struct Function {
  StringRef source, name;
};

LogicalResult function(Operation *op, StringRef name, Translator &e) {
  if (isComplex(op->getOperand(0).getType())) {
    ComplexMath math(op, e);
    auto z = math.named(op->getName().stripDialect(),
                        complexOf(op->getOperand(0), e));
    if (!z)
      return e.unsupported(op, "on complex numbers");
    return math.good ? bind(op->getResult(0), {z->re, z->im}, e) : failure();
  }
  Value x = e.get(op->getOperand(0));
  if (!isa<FloatType>(e.elementOf(x)))
    return e.unsupported(op, "on integers");
  Value result = call(op, name, x, e);
  return result ? e.set(op->getResult(0), result) : failure();
}

LogicalResult absolute(stablehlo::AbsOp op, Translator &e) {
  if (isComplex(op.getOperand().getType())) {
    ComplexMath math(op, e);
    Value length = math.abs(complexOf(op.getOperand(), e));
    return math.good ? e.set(op, length) : failure();
  }
  Value x = e.get(op.getOperand());
  if (e.elementOf(x).isInteger(1) || isUnsigned(op.getType()))
    return e.set(op, x);
  return e.set(op, e.unary<prim::AbsOp>(x));
}

LogicalResult negate(stablehlo::NegOp op, Translator &e) {
  return eachPart(
      op, op.getOperand(), e, [&](RankedTensorType, ArrayRef<Value> x) {
        return e.elementOf(x[0]).isInteger(1) ? x[0]
                                              : e.unary<prim::NegOp>(x[0]);
      });
}

LogicalResult sign(stablehlo::SignOp op, Translator &e) {
  if (isComplex(op.getType())) {
    // z / |z|; zero stays.
    Complex z = complexOf(op.getOperand(), e);
    ComplexMath math(op, e);
    Value length = math.abs(z);
    Value none = e.compare<prim::EqOp>(length, e.number(0, length));
    Value by = e.where(none, e.number(1, length), length);
    if (!math.good)
      return failure();
    return bind(
        op, {e.binary<prim::DivOp>(z.re, by), e.binary<prim::DivOp>(z.im, by)},
        e);
  }
  Value x = e.get(op.getOperand());
  if (e.elementOf(x).isInteger(1))
    return e.set(op, x);
  if (isUnsigned(op.getType()))
    return e.set(op, e.where(e.compare<prim::NeOp>(x, e.integer(0, x)),
                             e.integer(1, x), e.integer(0, x)));
  return e.set(op, e.unary<prim::SignOp>(x));
}

LogicalResult isFinite(stablehlo::IsFiniteOp op, Translator &e) {
  Value x = e.get(op.getOperand());
  Value infinity = e.number(std::numeric_limits<double>::infinity(), x);
  return e.set(op, e.compare<prim::LtOp>(e.unary<prim::AbsOp>(x), infinity));
}

template <typename Op> LogicalResult bits(Op op, Translator &e) {
  Value x = e.get(op.getOperand());
  constexpr bool counts = std::is_same_v<Op, stablehlo::PopcntOp>;
  if (e.elementOf(x).isInteger(1))
    return e.set(op, counts ? x : e.unary<prim::BitwiseNotOp>(x));
  Value result = call(op, counts ? "population_count" : "clz",
                      zeroExtended(op.getType(), x, e), e);
  if (!result)
    return failure();
  // Zeros in front of a narrow integer are none of its own.
  if (unsigned spare = counts ? 0 : spareBits(op.getType()))
    result = e.sub(result, e.integer(spare, result));
  return e.set(op, result);
}

LogicalResult invert(stablehlo::NotOp op, Translator &e) {
  return e.set(op, e.unary<prim::BitwiseNotOp>(e.get(op.getOperand())));
}

LogicalResult complex(stablehlo::ComplexOp op, Translator &e) {
  return bind(op, {e.get(op.getLhs()), e.get(op.getRhs())}, e);
}

LogicalResult real(stablehlo::RealOp op, Translator &e) {
  return e.set(op, tensorsOf(op.getOperand(), e).front());
}

LogicalResult imag(stablehlo::ImagOp op, Translator &e) {
  Tensors parts = tensorsOf(op.getOperand(), e);
  return e.set(op, parts.size() == 2 ? parts[1] : e.number(0, parts[0]));
}

} // namespace

void addFunctionRules(Rules &rules) {
  using namespace stablehlo;
  constexpr Function functions[] = {
      {"cbrt", "cbrt"},
      {"ceil", "ceil"},
      {"cosine", "cos"},
      {"exponential", "exp"},
      {"exponential_minus_one", "expm1"},
      {"floor", "floor"},
      {"log", "log"},
      {"log_plus_one", "log1p"},
      {"logistic", "sigmoid"},
      {"round_nearest_afz", "round_half_away"},
      {"round_nearest_even", "round"},
      {"rsqrt", "rsqrt"},
      {"sine", "sin"},
      {"sqrt", "sqrt"},
      {"tan", "tan"},
      {"tanh", "tanh"},
  };
  for (const Function &each : functions)
    rules.add(("stablehlo." + each.source).str(),
              [name = each.name](Operation *op, Translator &e) {
                return function(op, name, e);
              });
  rules.add<stablehlo::AbsOp>(absolute);
  rules.add<stablehlo::NegOp>(negate);
  rules.add<stablehlo::SignOp>(sign);
  rules.add<IsFiniteOp>(isFinite);
  rules.add<PopcntOp>(bits<PopcntOp>);
  rules.add<stablehlo::ClzOp>(bits<stablehlo::ClzOp>);
  rules.add<NotOp>(invert);
  rules.add<ComplexOp>(complex);
  rules.add<RealOp>(real);
  rules.add<ImagOp>(imag);
}

} // namespace kiln::stablehlo_to_prim

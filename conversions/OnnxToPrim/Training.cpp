// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of optimisers.
#include "Node.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// Inputs are a rate, a step, and then for all tensors their values, gradients
/// and states; results are values and states.
struct Step {
  Node &n;
  unsigned tensors;

  Value rate() { return scalar(0); }
  Value scalar(unsigned i) { return n.e.reshape(n.in(i), ArrayRef<int64_t>()); }
  Value number(double v, unsigned i) { return n.number(v, in(0, i)); }
  /// List `list` of the inputs, entry i.
  Value in(unsigned list, unsigned i) { return n.in(2 + list * tensors + i); }
  LogicalResult out(unsigned list, unsigned i, Value v) {
    return n.set(list * tensors + i, v);
  }
  /// The gradient with what norm_coefficient adds.
  Value gradient(unsigned i) {
    return n.add(n.mul(number(n.getFloat("norm_coefficient", 0), i), in(0, i)),
                 in(1, i));
  }
};

FailureOr<Step> stepOf(Node &n, unsigned states) {
  unsigned lists = 2 + states;
  if (n.numInputs() < 2 + lists || (n.numInputs() - 2) % lists)
    return n.fail("has lists of different lengths");
  for (unsigned i = 0; i < n.numInputs(); ++i)
    if (!n.has(i))
      return n.fail("has no input " + Twine(i));
  Step s{n, (n.numInputs() - 2) / lists};
  if (n.numResults() != s.tensors * (1 + states))
    return n.fail("has results that do not fit");
  return s;
}

LogicalResult adagrad(Node &n) {
  auto s = stepOf(n, 1);
  if (failed(s))
    return failure();
  Type element = n.e.elementOf(n.in(0));
  Value decay = n.mul(n.number(n.getFloat("decay_factor", 0), element),
                      n.cast(s->scalar(1), element));
  Value rate = n.div(s->rate(), n.add(n.number(1, element), decay));
  for (unsigned i = 0; i < s->tensors; ++i) {
    Value g = s->gradient(i);
    Value h = n.add(s->in(2, i), n.mul(g, g));
    Value root = n.add(n.unary<prim::SqrtOp>(h),
                       s->number(n.getFloat("epsilon", 1e-6f), i));
    Value x = n.sub(s->in(0, i), n.div(n.mul(rate, g), root));
    if (failed(s->out(0, i, x)) || failed(s->out(1, i, h)))
      return failure();
  }
  return success();
}

LogicalResult adam(Node &n) {
  auto s = stepOf(n, 2);
  if (failed(s))
    return failure();
  double alpha = n.getFloat("alpha", 0.9f), beta = n.getFloat("beta", 0.999f);
  Type element = n.e.elementOf(n.in(0));
  Value t = n.cast(s->scalar(1), element), one = n.number(1, element);
  auto rest = [&](double v) {
    return n.sub(one, n.binary<prim::PowOp>(n.number(v, element), t));
  };
  // The first step has nothing to correct.
  Value corrected =
      n.div(n.mul(s->rate(), n.unary<prim::SqrtOp>(rest(beta))), rest(alpha));
  Value rate = n.where(n.gt(t, n.number(0, element)), corrected, s->rate());
  for (unsigned i = 0; i < s->tensors; ++i) {
    Value g = s->gradient(i);
    Value v = n.add(n.mul(s->number(alpha, i), s->in(2, i)),
                    n.mul(s->number(1 - alpha, i), g));
    Value h = n.add(n.mul(s->number(beta, i), s->in(3, i)),
                    n.mul(s->number(1 - beta, i), n.mul(g, g)));
    Value root = n.add(n.unary<prim::SqrtOp>(h),
                       s->number(n.getFloat("epsilon", 1e-6f), i));
    Value x = n.sub(s->in(0, i), n.div(n.mul(rate, v), root));
    double after = n.getFloat("norm_coefficient_post", 0);
    x = n.mul(s->number(1 - after, i), x);
    if (failed(s->out(0, i, x)) || failed(s->out(1, i, v)) ||
        failed(s->out(2, i, h)))
      return failure();
  }
  return success();
}

LogicalResult momentum(Node &n) {
  auto s = stepOf(n, 1);
  if (failed(s))
    return failure();
  StringRef mode = n.getString("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    return n.fail("has mode '" + mode + "'");
  double alpha = n.getFloat("alpha", 0), beta = n.getFloat("beta", 0);
  Type element = n.e.elementOf(n.in(0));
  Value t = n.cast(s->scalar(1), element);
  Value adjusted = n.where(n.gt(t, n.number(0, element)),
                           n.number(beta, element), n.number(1, element));
  for (unsigned i = 0; i < s->tensors; ++i) {
    Value g = s->gradient(i);
    Value v =
        n.add(n.mul(s->number(alpha, i), s->in(2, i)), n.mul(adjusted, g));
    Value by = mode == "nesterov" ? n.add(g, n.mul(s->number(alpha, i), v)) : v;
    Value x = n.sub(s->in(0, i), n.mul(s->rate(), by));
    if (failed(s->out(0, i, x)) || failed(s->out(1, i, v)))
      return failure();
  }
  return success();
}

} // namespace

void addTrainingRules(NodeRules &rules) {
  rules.add("Adagrad", adagrad, 2);
  rules.add("Adam", adam, 2);
  rules.add("Momentum", momentum, 2);
}

} // namespace kiln::onnx_to_prim

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU and LSTM: written out step by step, or as a loop where the number of
// steps is not known or large.
#include "Control.h"
#include "Quant.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <functional>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

using Function = std::function<Value(Value)>;

/// The activation with this name; null if there is none.
Function activation(Node &n, StringRef name, double alpha, double beta) {
  auto number = [&n](double v, Value x) { return n.number(v, x); };
  if (name.equals_insensitive("Sigmoid"))
    return [&n](Value x) { return n.unary<prim::SigmoidOp>(x); };
  if (name.equals_insensitive("Tanh"))
    return [&n](Value x) { return n.unary<prim::TanhOp>(x); };
  if (name.equals_insensitive("Relu"))
    return [&n](Value x) { return n.unary<prim::ReluOp>(x); };
  if (name.equals_insensitive("Affine"))
    return [=, &n](Value x) {
      return n.add(n.mul(x, number(alpha, x)), number(beta, x));
    };
  if (name.equals_insensitive("LeakyRelu"))
    return [=, &n](Value x) {
      return n.where(n.ge(x, number(0, x)), x, n.mul(x, number(alpha, x)));
    };
  if (name.equals_insensitive("ThresholdedRelu"))
    return [=, &n](Value x) {
      return n.where(n.ge(x, number(alpha, x)), x, number(0, x));
    };
  if (name.equals_insensitive("ScaledTanh"))
    return [=, &n](Value x) {
      return n.mul(number(alpha, x),
                   n.unary<prim::TanhOp>(n.mul(x, number(beta, x))));
    };
  if (name.equals_insensitive("HardSigmoid"))
    return [=, &n](Value x) {
      return n.clamp(n.add(n.mul(x, number(alpha, x)), number(beta, x)), 0, 1);
    };
  if (name.equals_insensitive("Elu"))
    return [=, &n](Value x) {
      return n.where(n.ge(x, number(0, x)), x,
                     n.mul(number(alpha, x), n.unary<prim::Expm1Op>(x)));
    };
  if (name.equals_insensitive("Softsign"))
    return [=, &n](Value x) {
      return n.div(x, n.add(number(1, x), n.unary<prim::AbsOp>(x)));
    };
  if (name.equals_insensitive("Softplus"))
    return [=, &n](Value x) {
      return n.unary<prim::Log1pOp>(n.unary<prim::ExpOp>(x));
    };
  return {};
}

/// What a node has for one direction. Weights are [gates * hidden, ...].
struct Direction {
  Value w, r, wBias, rBias, peepholes, hidden, cell;
  SmallVector<Function> f;
  bool reverse;
};

/// A node of RNN, GRU or LSTM as it is read.
struct Recurrent {
  Node &n;
  int64_t gates, hidden = 0;
  OpFoldResult steps, batch;
  Value x;       // [steps, batch, input]
  Value lengths; // [batch, 1], null if all are full
  SmallVector<Direction> directions;
  bool byBatch = false; // layout 1

  Value w, r; // weights of inputs and of states, [directions, gates * hidden,
              // ...]

  Recurrent(Node &n, int64_t gates)
      : n(n), gates(gates), w(n.in(1)), r(n.in(2)) {}

  Value clip(Value v) {
    double limit = n.getFloat("clip", 0);
    return limit > 0 ? n.clamp(v, -limit, limit) : v;
  }
  /// Part `gate` of a dimension.
  Value gate(Value v, int64_t dim, int64_t number) {
    return n.slice(v, dim, number * hidden, hidden);
  }
  /// v * weights^T.
  Value product(Value v, Value weights) {
    return n.dot(v, weights, {}, {}, {1}, {1});
  }
};

/// Gives weights, biases and states the sizes that follow from the number of
/// states, of which an attribute tells if the weights do not.
LogicalResult completeSizes(Recurrent &r, int64_t count) {
  Node &n = r.n;
  r.hidden = n.shape(r.r)[2];
  if (ShapedType::isDynamic(r.hidden))
    r.hidden = n.getInt("hidden_size", 0);
  if (r.hidden < 1)
    return n.fail("has a number of states that is not known");
  auto complete = [&](Value x, ArrayRef<int64_t> sizes) {
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!ShapedType::isDynamic(size) &&
          ShapedType::isDynamic(n.shape(x)[dim]))
        x = n.requireSize(x, dim, size);
    return x;
  };
  int64_t rows = r.gates * r.hidden, open = ShapedType::kDynamic;
  r.w = complete(r.w, {count, rows, n.shape(n.in(0))[2]});
  r.r = complete(r.r, {count, rows, r.hidden});
  auto input = [&](unsigned i, ArrayRef<int64_t> sizes) {
    if (n.has(i) && n.rank(i) == int64_t(sizes.size()))
      n.replace(i, complete(n.in(i), sizes));
  };
  input(3, {count, 2 * rows});
  Ints state =
      r.byBatch ? Ints{open, count, r.hidden} : Ints{count, open, r.hidden};
  input(5, state);
  if (r.gates == 4) {
    input(6, state);
    input(7, {count, 3 * r.hidden});
  }
  return success();
}

/// Reads inputs and attributes; `functions` are the activations by default.
LogicalResult readNode(Recurrent &r, ArrayRef<StringRef> functions) {
  Node &n = r.n;
  StringRef way = n.getString("direction", "forward");
  if (way != "forward" && way != "reverse" && way != "bidirectional")
    return n.fail("has direction '" + way + "'");
  int64_t count = way == "bidirectional" ? 2 : 1;
  r.byBatch = n.getInt("layout", 0);
  if (n.broken)
    return failure();
  if (n.rank(0) != 3 || n.e.typeOf(r.w).getRank() != 3 ||
      n.e.typeOf(r.r).getRank() != 3)
    return n.fail("needs an input and weights of rank 3");
  if (failed(completeSizes(r, count)))
    return failure();
  r.x = r.byBatch ? n.e.transpose(n.in(0), {1, 0, 2}) : n.in(0);
  r.x = n.e.refine(
      r.x, {ShapedType::kDynamic, ShapedType::kDynamic, n.shape(r.w)[2]});
  Sizes sizes = n.e.sizesOf(r.x);
  r.steps = sizes[0];
  r.batch = sizes[1];
  for (Value weight : {r.w, r.r})
    if (n.shape(weight)[0] != count || n.shape(weight)[1] != r.gates * r.hidden)
      return n.fail("has weights that do not fit");
  if (n.shape(r.x)[2] != n.shape(r.w)[2])
    return n.fail("has weights that do not fit");
  if (n.has(4))
    r.lengths = n.unsqueeze(n.i64(n.in(4)), {1});
  auto names = dyn_cast_or_null<ArrayAttr>(n.attr("activations"));
  auto alphas = n.getFloats("activation_alpha").value_or(SmallVector<double>());
  auto betas = n.getFloats("activation_beta").value_or(SmallVector<double>());
  size_t nextAlpha = 0, nextBeta = 0;
  for (int64_t d = 0; d < count; ++d) {
    auto own = [&](Value x) { return n.squeeze(n.slice(x, 0, d, 1), {0}); };
    auto part = [&](unsigned i) { return n.has(i) ? own(n.in(i)) : Value(); };
    Direction dir;
    dir.w = own(r.w);
    dir.r = own(r.r);
    if (Value bias = part(3)) {
      dir.wBias = n.slice(bias, 0, 0, r.gates * r.hidden);
      dir.rBias = n.slice(bias, 0, r.gates * r.hidden, r.gates * r.hidden);
    }
    Value zero = n.e.full(tensor_to_prim::numberAttr(n.e.elementOf(r.x), 0),
                          {r.batch, n.e.size(r.hidden)});
    auto state = [&](unsigned i) -> Value {
      if (!n.has(i))
        return zero;
      Value all = r.byBatch ? n.e.transpose(n.in(i), {1, 0, 2}) : n.in(i);
      Value own = n.slice(all, 0, d, 1);
      // One state for all of the batch, or one for each.
      if (n.shape(all)[1] == 1)
        return n.expand(n.squeeze(own, {0}), {r.batch, n.e.size(r.hidden)});
      return n.e.reshape(own, {r.batch, n.e.size(r.hidden)});
    };
    dir.hidden = state(5);
    bool isLstm = r.gates == 4;
    dir.cell = isLstm ? state(6) : Value();
    dir.peepholes = isLstm ? part(7) : Value();
    dir.reverse = way == "reverse" || d == 1;
    for (auto [k, usual] : llvm::enumerate(functions)) {
      size_t at = d * functions.size() + k;
      StringRef name = usual;
      if (names && at < names.size())
        if (auto given = dyn_cast<StringAttr>(names[at]))
          name = given.getValue();
      auto take = [](ArrayRef<double> list, size_t &next, double otherwise) {
        return next < list.size() ? list[next++] : otherwise;
      };
      bool one = name.equals_insensitive("LeakyRelu") ||
                 name.equals_insensitive("ThresholdedRelu") ||
                 name.equals_insensitive("Elu");
      bool two = name.equals_insensitive("Affine") ||
                 name.equals_insensitive("ScaledTanh") ||
                 name.equals_insensitive("HardSigmoid");
      double alpha = name.equals_insensitive("LeakyRelu")     ? 0.01
                     : name.equals_insensitive("HardSigmoid") ? 0.2
                                                              : 1;
      double beta = name.equals_insensitive("HardSigmoid")  ? 0.5
                    : name.equals_insensitive("ScaledTanh") ? 1
                                                            : 0;
      if (one || two)
        alpha = take(alphas, nextAlpha, alpha);
      if (two)
        beta = take(betas, nextBeta, beta);
      Function f = activation(n, name, alpha, beta);
      if (!f)
        return n.fail("has activation '" + name + "'");
      dir.f.push_back(f);
    }
    r.directions.push_back(dir);
  }
  return success();
}

/// One step: from the gates' part of the input and the states to new states.
using Step = std::function<void(Direction &, Value input)>;

/// Goes through place `at` of a sequence; what is put out there.
Value advance(Recurrent &r, Direction &dir, const Step &step, Value input,
              Value at) {
  Node &n = r.n;
  Value hidden = dir.hidden, cell = dir.cell;
  step(dir, input);
  if (n.broken || !r.lengths)
    return dir.hidden;
  // Behind the end nothing changes, and outputs are 0.
  Value inside = n.lt(at, r.lengths);
  Value out = n.where(inside, dir.hidden, n.number(0, dir.hidden));
  dir.hidden = n.where(inside, dir.hidden, hidden);
  if (cell)
    dir.cell = n.where(inside, dir.cell, cell);
  return out;
}

/// Tensors one behind the other along a new dimension.
Value stack(Node &n, ArrayRef<Value> parts, int64_t dim) {
  SmallVector<Value> all;
  for (Value part : parts)
    all.push_back(n.unsqueeze(part, {dim}));
  return n.e.concat(all, dim);
}

/// All steps of a direction, written out: [steps, batch, hidden].
Value writtenOut(Recurrent &r, Direction &dir, const Step &step, Value inputs,
                 int64_t steps) {
  Node &n = r.n;
  SmallVector<Value> list(steps);
  for (int64_t k = 0; k < steps && !n.broken; ++k) {
    int64_t t = dir.reverse ? steps - 1 - k : k;
    list[t] = advance(r, dir, step, n.squeeze(n.slice(inputs, 0, t, 1), {0}),
                      n.integer(t));
  }
  return n.broken || !n.wants(0) ? Value() : stack(n, list, 0);
}

/// All steps of a direction, as a loop.
Value looped(Recurrent &r, Direction &dir, const Step &step, Value inputs) {
  Node &n = r.n;
  Value last = n.sub(n.e.sizeTensor(r.steps), n.integer(1));
  SmallVector<Value> vars{dir.hidden};
  if (dir.cell)
    vars.push_back(dir.cell);
  auto results = countedLoop(
      n, r.steps, vars,
      [&](Value k, ArrayRef<Value> now) -> FailureOr<SmallVector<Value>> {
        Direction here = dir;
        here.hidden = now[0];
        if (dir.cell)
          here.cell = now[1];
        Value at = dir.reverse ? n.sub(last, k) : k;
        Value out = advance(r, here, step, n.take(inputs, at, 0), at);
        SmallVector<Value> next{here.hidden};
        if (here.cell)
          next.push_back(here.cell);
        if (n.wants(0))
          next.push_back(out);
        return next;
      });
  if (failed(results))
    return n.broken = true, Value();
  dir.hidden = (*results)[0];
  if (dir.cell)
    dir.cell = (*results)[1];
  if (!n.wants(0))
    return {};
  return dir.reverse ? n.reverse(results->back(), 0) : results->back();
}

/// Runs all steps, and gives outputs and last states.
LogicalResult runSteps(Recurrent &r, const Step &step) {
  Node &n = r.n;
  /// Longer sequences are loops.
  constexpr int64_t most = 2048;
  SmallVector<Value> outputs; // of each direction
  for (Direction &dir : r.directions) {
    // All inputs at once.
    Value inputs = n.dot(r.x, dir.w, {}, {}, {2}, {1});
    if (dir.wBias)
      inputs = n.add(inputs, dir.wBias);
    auto steps = getConstantIntValue(r.steps);
    outputs.push_back(steps && *steps > 0 && *steps <= most
                          ? writtenOut(r, dir, step, inputs, *steps)
                          : looped(r, dir, step, inputs));
    if (n.broken)
      return failure();
  }
  if (n.wants(0)) {
    Value y = stack(n, outputs, 1); // [steps, directions, batch, hidden]
    if (failed(n.set(0, r.byBatch ? n.e.transpose(y, {2, 0, 1, 3}) : y)))
      return failure();
  }
  auto last = [&](unsigned i, Value Direction::*state) {
    if (!n.wants(i))
      return success();
    SmallVector<Value> both;
    for (Direction &dir : r.directions)
      both.push_back(dir.*state);
    return n.set(i, stack(n, both, r.byBatch ? 1 : 0));
  };
  if (failed(last(1, &Direction::hidden)))
    return failure();
  return r.gates == 4 ? last(2, &Direction::cell) : success();
}

LogicalResult rnn(Node &n) {
  Recurrent r(n, 1);
  if (failed(readNode(r, {"Tanh"})))
    return failure();
  return runSteps(r, [&](Direction &d, Value input) {
    Value sum = n.add(input, r.product(d.hidden, d.r));
    if (d.rBias)
      sum = n.add(sum, d.rBias);
    d.hidden = d.f[0](r.clip(sum));
  });
}

/// Gates z, r, h.
LogicalResult gru(Node &n) {
  Recurrent r(n, 3);
  if (failed(readNode(r, {"Sigmoid", "Tanh"})))
    return failure();
  bool before = n.getInt("linear_before_reset", 0);
  return runSteps(r, [&](Direction &d, Value input) {
    auto recurrent = [&](Value hidden, int64_t gate) {
      Value sum = r.product(hidden, r.gate(d.r, 0, gate));
      return d.rBias ? n.add(sum, r.gate(d.rBias, 0, gate)) : sum;
    };
    auto gate = [&](int64_t number) {
      return d.f[0](
          r.clip(n.add(r.gate(input, 1, number), recurrent(d.hidden, number))));
    };
    Value z = gate(0), reset = gate(1);
    Value inner = before ? n.mul(reset, recurrent(d.hidden, 2))
                         : recurrent(n.mul(reset, d.hidden), 2);
    Value h = d.f[1](r.clip(n.add(r.gate(input, 1, 2), inner)));
    d.hidden = n.add(n.mul(n.sub(n.number(1, z), z), h), n.mul(z, d.hidden));
  });
}

/// Gates i, o, f, c; peepholes i, o, f.
LogicalResult lstmOf(Recurrent &r) {
  Node &n = r.n;
  if (failed(readNode(r, {"Sigmoid", "Tanh", "Tanh"})))
    return failure();
  bool coupled = n.getInt("input_forget", 0);
  return runSteps(r, [&](Direction &d, Value input) {
    Value all = n.add(input, r.product(d.hidden, d.r));
    if (d.rBias)
      all = n.add(all, d.rBias);
    auto gate = [&](int64_t number, Value cell) {
      Value sum = r.gate(all, 1, number);
      if (d.peepholes && cell)
        sum = n.add(sum, n.mul(r.gate(d.peepholes, 0, number), cell));
      return r.clip(sum);
    };
    Value i = d.f[0](gate(0, d.cell));
    Value f = coupled ? n.sub(n.number(1, i), i) : d.f[0](gate(2, d.cell));
    Value c = d.f[1](gate(3, {}));
    d.cell = n.add(n.mul(f, d.cell), n.mul(i, c));
    Value o = d.f[0](gate(1, d.cell));
    d.hidden = n.mul(o, d.f[2](d.cell));
  });
}

LogicalResult lstm(Node &n) {
  Recurrent r(n, 4);
  return lstmOf(r);
}

/// Weights [directions, ..., gates * hidden] of 8 bits as those that they stand
/// for, with the last two dimensions exchanged. There is a scale for each
/// direction, or for each of its columns.
Value unquantized(Node &n, unsigned i, unsigned scale, unsigned point) {
  auto each = [&](Value x) {
    bool isColumn = n.e.typeOf(x).getRank() > 1;
    return n.unsqueeze(x, isColumn ? Ints{1} : Ints{1, 2});
  };
  Value whole = i32(n, i);
  if (n.has(point))
    whole = n.sub(whole, each(i32(n, point)));
  Value weights = n.mul(n.f32(whole), each(n.in(scale)));
  if (n.e.typeOf(weights).getRank() != 3)
    return n.refuse("needs weights of rank 3");
  return n.e.transpose(weights, {0, 2, 1});
}

/// DynamicQuantizeLSTM: inputs and states are multiplied as they are, which is
/// nearer to the model than to round them to 8 bits.
LogicalResult dynamicQuantizeLstm(Node &n) {
  if (!n.has(8) || !n.has(10))
    return n.fail("has no scales of its weights");
  Recurrent r(n, 4);
  r.w = unquantized(n, 1, 8, 9);
  r.r = unquantized(n, 2, 10, 11);
  return lstmOf(r);
}

} // namespace

void addRecurrentRules(NodeRules &rules) {
  rules.add("RNN", rnn, 3);
  rules.add("GRU", gru, 3);
  rules.add("LSTM", lstm, 3);
  rules.add("com.microsoft.DynamicQuantizeLSTM", dynamicQuantizeLstm, 3);
}

} // namespace kiln::onnx_to_prim

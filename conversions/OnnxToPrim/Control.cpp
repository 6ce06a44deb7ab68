// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions and loops.
#include "Control.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
Value scalar(Node &n, Value x) { return n.e.reshape(x, ArrayRef<int64_t>()); }

void eraseDead(mlir::Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {

/// How long a loop may become when it is written out.
constexpr int64_t mostSteps = 4096, mostOperations = 16384;

/// Whether a graph may be written out that many times.
bool isShort(Region &body, int64_t steps) {
  int64_t length = 0;
  body.walk([&](Operation *) { ++length; });
  return steps <= mostSteps && steps * length <= mostOperations;
}

/// Tensors of all steps, one behind the other along a new dimension.
Value stack(Node &n, ArrayRef<Value> parts, int64_t dim, unsigned result) {
  if (!parts.empty()) {
    SmallVector<Value> all;
    for (Value part : parts)
      all.push_back(n.unsqueeze(part, {dim}));
    return n.e.concat(all, dim);
  }
  auto declared = n.declared(result);
  Type element = n.elementOut(result);
  Type prim = tensor_to_prim::primElement(element);
  if (!declared || !prim)
    return n.refuse("stacks nothing, in a shape that is not known");
  return n.e.full(tensor_to_prim::numberAttr(prim, 0),
                  getAsIndexOpFoldResult(n.e.b.getContext(), *declared));
}

/// Whether the body hands the condition on, or gives one that always holds.
bool alwaysGoesOn(Region &body) {
  if (body.empty() || body.front().empty())
    return false;
  Operation &last = body.front().back();
  Value condition = last.getNumOperands() ? last.getOperand(0) : Value();
  while (condition) {
    if (condition == body.getArgument(1))
      return true;
    auto op = condition.getDefiningOp<torch::OperatorOp>();
    if (!op || op.getOperands().size() != 1 ||
        (op.getName() != "onnx.Identity" && op.getName() != "onnx.Cast"))
      break;
    condition = op.getOperands()[0];
  }
  auto op = condition ? condition.getDefiningOp<torch::OperatorOp>()
                      : torch::OperatorOp();
  if (!op || op.getName() != "onnx.Constant")
    return false;
  auto value = op->getAttrOfType<DenseElementsAttr>("torch.onnx.value");
  return value && value.isSplat() && value.getElementType().isInteger(1) &&
         value.getSplatValue<bool>();
}

LogicalResult loop(Node &n) {
  auto regions = n.op.getRegions();
  if (regions.size() != 1 || n.numInputs() < 2 || regions[0].empty())
    return n.fail("needs a graph, a count and a condition");
  Region &body = regions[0];
  SmallVector<Value> vars;
  for (unsigned i = 2; i < n.numInputs(); ++i) {
    if (!n.has(i))
      return n.fail("carries a value that is not a tensor");
    vars.push_back(n.in(i));
  }
  if (vars.size() > n.numResults() || body.getNumArguments() != 2 + vars.size())
    return n.fail("has a graph with other inputs");
  completeArguments(n, body, n.op.getOperands().drop_front(2), 2);
  auto count = n.has(0) ? n.ints(0) : std::nullopt;
  auto start = n.has(1) ? n.numbers(1) : SmallVector<double>{1};
  int64_t steps = count && start && start->front() != 0
                      ? std::max<int64_t>(count->front(), 0)
                      : 0;
  if (!count || !start || !alwaysGoesOn(body) || !isShort(body, steps))
    return translateWhile(n, body, vars);
  SmallVector<SmallVector<Value>> stacked(n.numResults() - vars.size());
  Value more = n.e.full(n.e.b.getIntegerAttr(n.e.b.getI1Type(), 1), {});
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Value> inputs{n.integer(step), more};
    llvm::append_range(inputs, vars);
    auto results = n.run(body, inputs);
    if (failed(results))
      return failure();
    if (results->size() != 1 + n.numResults())
      return n.fail("has a graph with another number of results");
    for (size_t k = 0; k < vars.size(); ++k)
      vars[k] = (*results)[1 + k];
    for (size_t k = 0; k < stacked.size(); ++k)
      stacked[k].push_back((*results)[1 + vars.size() + k]);
  }
  for (unsigned i = 0; i < n.numResults(); ++i) {
    bool isVar = i < vars.size();
    if (failed(n.set(i, isVar ? vars[i]
                              : stack(n, stacked[i - vars.size()], 0, i))))
      return failure();
  }
  return success();
}

/// The steps of a Scan as a loop.
LogicalResult scanLoop(Node &n, Region &body, SmallVector<Value> &state,
                       ArrayRef<Value> inputs, ArrayRef<int64_t> axes,
                       ArrayRef<int64_t> backwards,
                       SmallVector<Value> &stacked) {
  OpFoldResult steps = n.e.sizesOf(inputs[0])[axes[0]];
  Value last = n.sub(n.e.sizeTensor(steps), n.integer(1));
  auto results = countedLoop(
      n, steps, state,
      [&](Value step, ArrayRef<Value> now) -> FailureOr<SmallVector<Value>> {
        SmallVector<Value> given(now);
        for (auto [x, axis, back] : llvm::zip_equal(inputs, axes, backwards))
          given.push_back(n.take(x, back ? n.sub(last, step) : step, axis));
        auto made = n.run(body, given);
        if (succeeded(made) && made->size() != n.numResults())
          return n.fail("has a graph with another number of results");
        return made;
      });
  if (failed(results))
    return failure();
  llvm::copy(ArrayRef(*results).take_front(state.size()), state.begin());
  stacked.assign(results->begin() + state.size(), results->end());
  return success();
}

/// The steps of a Scan over the inputs of one batch, written out or as a loop:
/// its last state and what it stacks along `outAxes`.
LogicalResult scanSteps(Node &n, Region &body, SmallVector<Value> &state,
                        ArrayRef<Value> inputs, ArrayRef<int64_t> axes,
                        ArrayRef<int64_t> backwards, ArrayRef<int64_t> outAxes,
                        ArrayRef<int64_t> outBackwards,
                        SmallVector<Value> &whole) {
  int64_t steps = n.shape(inputs[0])[axes[0]];
  if (ShapedType::isDynamic(steps) || !isShort(body, steps)) {
    if (failed(scanLoop(n, body, state, inputs, axes, backwards, whole)))
      return failure();
    for (auto [all, axis, back] :
         llvm::zip_equal(whole, outAxes, outBackwards)) {
      int64_t rank = n.e.typeOf(all).getRank(), dim = n.axis(axis, rank);
      if (n.broken)
        return failure();
      Ints order;
      for (int64_t d = 1; d < rank; ++d)
        order.push_back(d);
      order.insert(order.begin() + dim, 0);
      all = n.e.transpose(back ? n.reverse(all, 0) : all, order);
    }
    return success();
  }
  SmallVector<SmallVector<Value>> stacked(outAxes.size());
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Value> given = state;
    for (auto [x, axis, back] : llvm::zip_equal(inputs, axes, backwards)) {
      if (n.shape(x)[axis] != steps)
        return n.fail("has inputs of different lengths");
      given.push_back(n.squeeze(
          n.slice(x, axis, back ? steps - 1 - step : step, 1), {axis}));
    }
    auto results = n.run(body, given);
    if (failed(results))
      return failure();
    if (results->size() != state.size() + stacked.size())
      return n.fail("has a graph with another number of results");
    for (size_t k = 0; k < state.size(); ++k)
      state[k] = (*results)[k];
    for (size_t k = 0; k < stacked.size(); ++k)
      stacked[k].push_back((*results)[state.size() + k]);
  }
  for (auto [k, parts] : llvm::enumerate(stacked)) {
    if (outBackwards[k])
      std::reverse(parts.begin(), parts.end());
    int64_t dim = parts.empty()
                      ? 0
                      : n.axis(outAxes[k], n.e.typeOf(parts[0]).getRank() + 1);
    if (n.broken)
      return failure();
    whole.push_back(stack(n, parts, dim, state.size() + k));
  }
  return success();
}

LogicalResult scan(Node &n) {
  auto regions = n.op.getRegions();
  int64_t scanned = n.getInt("num_scan_inputs", 0);
  bool batched = n.opset() < 9; // a batch, and lengths as the first input
  int64_t first = batched ? 1 : 0;
  int64_t states = n.numInputs() - first - scanned;
  if (regions.size() != 1 || scanned < 1 || states < 0 ||
      states > n.numResults() || regions[0].empty())
    return n.fail("has inputs that do not fit its graph");
  if (batched && n.has(0))
    return n.fail("with a length for each batch");
  Region &body = regions[0];
  completeArguments(n, body, n.op.getOperands().drop_front(first), 0);
  SmallVector<Value> all;
  for (unsigned i = first; i < n.numInputs(); ++i) {
    if (!n.has(i))
      return n.fail("carries a value that is not a tensor");
    all.push_back(n.in(i));
  }
  size_t outs = n.numResults() - states;
  Ints backwards =
      n.getInts(batched ? "directions" : "scan_input_directions", scanned, 0);
  Ints given = n.getInts("scan_input_axes", scanned, 0);
  Ints outAxes = n.getInts("scan_output_axes", outs, 0);
  Ints outBackwards = n.getInts("scan_output_directions", outs, 0);
  Ints axes;
  for (int64_t k = 0; k < scanned && !n.broken; ++k)
    axes.push_back(n.axis(given[k], n.e.typeOf(all[states + k]).getRank() -
                                        (batched ? 1 : 0)));
  if (n.broken)
    return failure();
  SmallVector<SmallVector<Value>> results(n.numResults());
  int64_t batch = batched ? n.shape(all[0])[0] : 1;
  if (ShapedType::isDynamic(batch))
    return n.fail("of a batch that is not known");
  for (int64_t b = 0; b < batch; ++b) {
    SmallVector<Value> own;
    for (Value x : all)
      own.push_back(batched ? n.squeeze(n.slice(x, 0, b, 1), {0}) : x);
    SmallVector<Value> state(own.begin(), own.begin() + states);
    SmallVector<Value> stacked;
    if (failed(scanSteps(n, body, state, ArrayRef(own).drop_front(states), axes,
                         backwards, outAxes, outBackwards, stacked)))
      return failure();
    for (int64_t k = 0; k < states; ++k)
      results[k].push_back(state[k]);
    for (size_t k = 0; k < outs; ++k)
      results[states + k].push_back(stacked[k]);
  }
  for (auto [i, parts] : llvm::enumerate(results))
    if (failed(n.set(i, batched ? stack(n, parts, 0, i) : parts[0])))
      return failure();
  return success();
}

} // namespace

void addControlRules(NodeRules &rules) {
  rules.add("If", translateIf);
  rules.add("Loop", loop, 0);
  rules.add("Scan", scan, 0);
}

} // namespace kiln::onnx_to_prim

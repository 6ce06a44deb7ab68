// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose number of steps is known when the program runs.
#include "Control.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// Loops of up to so many elements of a stacked result have room for the most
/// steps that they may take; others count their steps first.
constexpr int64_t mostRoom = 1 << 24;

/// A loop as a prim.while that carries the number of steps, the condition, and
/// the tensors of the node.
class WhileLoop {
public:
  WhileLoop(Node &n, Region &body, ArrayRef<Value> vars)
      : n(n), body(body), vars(vars), numStacked(n.numResults() - vars.size()) {
  }

  LogicalResult run();

private:
  LogicalResult build();
  SmallVector<Value> buffers(OpFoldResult count);
  void checkSizes(Value part, ArrayRef<OpFoldResult> first);
  FailureOr<prim::WhileOp> stack(ArrayRef<Value> rooms);
  /// How many steps there is room for, and whether that is how many there are.
  std::optional<std::pair<OpFoldResult, bool>> room();
  LogicalResult measure();

  Node &n;
  Region &body;
  ArrayRef<Value> vars;
  size_t numStacked;
  prim::WhileOp loop;           ///< without what is stacked
  SmallVector<Value> parts;     ///< what its body gives to stack
  SmallVector<Sizes> partSizes; ///< of these, known outside of the loop
};

/// Builds the loop without what is stacked.
LogicalResult WhileLoop::build() {
  Type truth = n.e.b.getI1Type();
  SmallVector<Value> inits{
      n.integer(0), n.has(1) ? scalar(n, n.in(1))
                             : n.e.full(n.e.b.getIntegerAttr(truth, 1), {})};
  llvm::append_range(inits, vars);
  for (Value init : inits)
    if (!isa<RankedTensorType>(init.getType()))
      return n.fail("carries a sequence, and how often it runs is not known");
  Value most = n.has(0) ? scalar(n, n.i64(n.in(0))) : Value();
  loop = prim::WhileOp::create(n.e.b, ValueRange(inits).getTypes(), inits);
  OpBuilder::InsertionGuard guard(n.e.b);
  auto test = enter(n, loop.getCondition(), inits);
  prim::YieldOp::create(
      n.e.b, ValueRange{most ? n.both(test[1], n.lt(test[0], most)) : test[1]});
  auto now = enter(n, loop.getBody(), inits);
  auto results = n.run(body, SmallVector<Value>(now.begin(), now.end()));
  if (failed(results))
    return failure();
  if (results->size() != 1 + n.numResults())
    return n.fail("has a graph with another number of results");
  SmallVector<Value> next{n.add(now[0], n.integer(1)),
                          scalar(n, (*results)[0])};
  for (size_t k = 0; k < vars.size(); ++k) {
    next.push_back((*results)[1 + k]);
    if (failed(keepType(n, next.back(), now[2 + k])))
      return failure();
  }
  parts.assign(results->begin() + 1 + vars.size(), results->end());
  prim::YieldOp::create(n.e.b, next);
  return success();
}

std::optional<std::pair<OpFoldResult, bool>> WhileLoop::room() {
  auto declared = n.declared(vars.size());
  if (declared && !declared->empty())
    return std::pair(n.e.size(declared->front()), true);
  auto most = n.has(0) ? n.ints(0) : std::nullopt;
  int64_t largest = 1;
  for (Value part : parts) {
    if (!n.e.typeOf(part).hasStaticShape())
      return std::nullopt;
    largest = std::max(largest, n.e.typeOf(part).getNumElements());
  }
  if (most && most->front() <= mostRoom / largest)
    return std::pair(n.e.size(std::max<int64_t>(most->front(), 0)), false);
  return std::nullopt;
}

/// Reads the sizes of what is stacked. Open ones are those of the first step,
/// which is repeated before the loop; nothing reads its elements.
LogicalResult WhileLoop::measure() {
  for (Value part : parts)
    if (!isa<RankedTensorType>(part.getType()))
      return n.fail(
          "stacks values that are not tensors, and its trip count is not "
          "known");
  SmallVector<Value> measured(parts);
  auto isStatic = [&](Value part) { return n.e.typeOf(part).hasStaticShape(); };
  OpBuilder::InsertionGuard guard(n.e.b);
  if (!llvm::all_of(parts, isStatic)) {
    n.e.b.setInsertionPoint(loop);
    auto first = n.run(body, SmallVector<Value>(loop.getInits()));
    if (failed(first))
      return failure();
    measured.assign(first->end() - numStacked, first->end());
  }
  for (Value part : measured)
    partSizes.push_back(n.e.sizesOf(part));
  return success();
}

/// Zeros for what is stacked in `count` steps.
SmallVector<Value> WhileLoop::buffers(OpFoldResult count) {
  SmallVector<Value> rooms;
  for (auto [part, own] : llvm::zip_equal(parts, partSizes)) {
    Sizes sizes{count};
    llvm::append_range(sizes, own);
    rooms.push_back(
        n.e.full(tensor_to_prim::numberAttr(n.e.elementOf(part), 0), sizes));
  }
  return rooms;
}

/// Makes the program fail where a slice has other sizes than the first one, of
/// which there are as many rooms.
void WhileLoop::checkSizes(Value part, ArrayRef<OpFoldResult> first) {
  for (auto [own, expected] : llvm::zip_equal(n.e.sizesOf(part), first)) {
    if (own == expected)
      continue;
    Value isSame =
        arith::CmpIOp::create(n.e.b, arith::CmpIPredicate::eq,
                              n.e.sizeValue(own), n.e.sizeValue(expected));
    cf::AssertOp::create(n.e.b, isSame,
                         "a slice that a loop stacks does not have the sizes "
                         "of the first one");
  }
}

/// The same loop, which also writes to `rooms`.
FailureOr<prim::WhileOp> WhileLoop::stack(ArrayRef<Value> rooms) {
  SmallVector<Value> inits(loop.getInits());
  llvm::append_range(inits, rooms);
  auto whole =
      prim::WhileOp::create(n.e.b, ValueRange(inits).getTypes(), inits);
  OpBuilder::InsertionGuard guard(n.e.b);
  auto copy = [&](Region &from, Region &to, IRMapping &mapping) {
    mlir::Block *block = n.e.b.createBlock(&to);
    for (Value init : inits)
      block->addArgument(init.getType(), n.e.b.getLoc());
    mapping.map(from.getArguments(),
                block->getArguments().take_front(from.getNumArguments()));
    for (Operation &op : from.front().without_terminator())
      n.e.b.clone(op, mapping);
    return llvm::map_to_vector(
        from.front().getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  };
  IRMapping test, step;
  prim::YieldOp::create(n.e.b,
                        copy(loop.getCondition(), whole.getCondition(), test));
  SmallVector<Value> next = copy(loop.getBody(), whole.getBody(), step);
  auto arguments = whole.getBody().getArguments();
  for (auto [k, part] : llvm::enumerate(parts)) {
    Value all = arguments[loop.getNumResults() + k];
    Value own = step.lookupOrDefault(part);
    checkSizes(own, partSizes[k]);
    Value one = n.unsqueeze(own, {0});
    SmallVector<Value> starts(n.e.typeOf(all).getRank(), n.integer(0));
    starts[0] = arguments[0];
    next.push_back(prim::DynamicUpdateSliceOp::create(n.e.b, all.getType(), all,
                                                      one, starts));
  }
  prim::YieldOp::create(n.e.b, next);
  return whole;
}

LogicalResult WhileLoop::run() {
  if (failed(build()))
    return failure();
  prim::WhileOp last = loop;
  if (numStacked) {
    if (failed(measure()))
      return failure();
    auto place = room();
    // Where nothing says how many steps there are, the loop runs without what
    // it stacks first.
    OpFoldResult count = place ? place->first : n.sizeFrom(loop.getResult(0));
    auto whole = stack(buffers(count));
    if (failed(whole))
      return failure();
    last = *whole;
    n.graph.forget();
    if (place)
      loop.erase();
    else
      eraseDead(loop.getBody().front());
    SmallVector<Value> stacked(last.getResults().take_back(numStacked));
    if (place && !place->second) {
      OpFoldResult taken = n.sizeFrom(last.getResult(0));
      for (Value &all : stacked)
        all = n.first(all, taken);
    }
    for (auto [k, all] : llvm::enumerate(stacked))
      if (failed(n.set(vars.size() + k, all)))
        return failure();
  }
  for (size_t i = 0; i < vars.size(); ++i)
    if (failed(n.set(i, last.getResult(2 + i))))
      return failure();
  return success();
}

} // namespace

LogicalResult translateWhile(Node &n, Region &body, ArrayRef<Value> vars) {
  return WhileLoop(n, body, vars).run();
}

} // namespace kiln::onnx_to_prim

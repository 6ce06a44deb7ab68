// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs operations one by one.
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Marks.h"
#include "kiln/Eval/Watch.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kiln::eval {

/// Calls nested deeper than this are refused, before the stack ends.
static constexpr int kMaxDepth = 200;

InstanceState::~InstanceState() = default;

const EvaluateFn *EvaluationInterface::lookup(OperationName name) const {
  auto it = table.find(name.getTypeID());
  return it == table.end() ? nullptr : &it->second;
}

const Value &Frame::get(mlir::Value value) const {
  static const Value none;
  auto it = values.find(value);
  return it == values.end() ? none : it->second;
}

SmallVector<Value> Frame::get(ValueRange range) const {
  SmallVector<Value> result;
  for (mlir::Value value : range)
    result.push_back(get(value));
  return result;
}

SmallVector<int64_t> Frame::getInts(ValueRange range) const {
  SmallVector<int64_t> result;
  for (mlir::Value value : range)
    result.push_back(getInt(value));
  return result;
}

LogicalResult Frame::step(Operation *op) {
  if (watch().checkDeadline())
    return op->emitError("unsupported: evaluation takes longer than it may");
  const EvaluateFn *fn = nullptr;
  if (Dialect *dialect = op->getDialect())
    if (auto *table = dialect->getRegisteredInterface<EvaluationInterface>())
      fn = table->lookup(op->getName());
  if (!fn)
    return op->emitError("unsupported: no evaluation for '")
           << op->getName() << "'";
  for (mlir::Value operand : op->getOperands())
    if (get(operand).isNone())
      return op->emitError("unsupported: operand of type ")
             << operand.getType() << " has no value at evaluation";
  return (*fn)(op, *this);
}

LogicalResult Frame::run(Region &region, ArrayRef<Value> args,
                         SmallVectorImpl<Value> &results) {
  if (!region.hasOneBlock())
    return region.getParentOp()->emitError(
        "unsupported: evaluation of a region with several blocks");
  Block &block = region.front();
  if (args.size() != block.getNumArguments())
    return region.getParentOp()->emitError("expected ")
           << block.getNumArguments() << " arguments, found " << args.size();
  for (auto [parameter, arg] : llvm::zip(block.getArguments(), args))
    values[parameter] = arg;
  if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>())
    return region.getParentOp()->emitError("expected a terminator");
  bool isTold = evaluator.progress && evaluator.outermost == &block;
  uint64_t done = 0, total = isTold ? block.getOperations().size() : 0;
  for (Operation &op : block.without_terminator()) {
    if (isTold)
      evaluator.progress(done++, total);
    if (failed(step(&op)))
      return failure();
    for (mlir::Value dead : evaluator.lastUses(&op))
      values.erase(dead);
  }
  results.clear();
  for (mlir::Value operand : block.back().getOperands()) {
    results.push_back(get(operand));
    if (results.back().isNone())
      return block.back().emitError("unsupported: operand of type ")
             << operand.getType() << " has no value at evaluation";
  }
  return success();
}

Evaluator::Evaluator(Operation *root) : rootOp(root), symbols(root) {}

FunctionOpInterface Evaluator::lookup(StringRef name) {
  return dyn_cast_or_null<FunctionOpInterface>(symbols.lookup(name));
}

LogicalResult Evaluator::call(FunctionOpInterface function,
                              ArrayRef<Value> args,
                              SmallVectorImpl<Value> &results,
                              Location caller) {
  if (function.isExternal())
    return emitError(caller, "unsupported: call of undefined function '")
           << function.getName() << "'";
  if (args.size() != function.getNumArguments())
    return emitError(caller, "expected ")
           << function.getNumArguments() << " arguments for '"
           << function.getName() << "', found " << args.size();
  if (depth >= kMaxDepth)
    return emitError(caller, "calls are nested more than ")
           << kMaxDepth << " deep";
  findLastUses(function.getFunctionBody().front());
  if (!depth)
    outermost = &function.getFunctionBody().front();
  ++depth;
  Frame frame(*this);
  LogicalResult result = frame.run(function.getFunctionBody(), args, results);
  --depth;
  Operation *end = function.getFunctionBody().front().getTerminator();
  for (auto [k, value] : llvm::enumerate(results)) {
    if (depth || failed(result) || !value.isTensor())
      continue;
    if (hasCause(marksOf(value)) &&
        failed(checkHasValue(end, value, "result " + std::to_string(k))))
      return failure();
    moveOpen(value);
  }
  return result;
}

ArrayRef<mlir::Value> Evaluator::lastUses(Operation *op) const {
  auto it = dying.find(op);
  return it == dying.end() ? ArrayRef<mlir::Value>() : it->second;
}

void Evaluator::findLastUses(Block &block) {
  if (!analysed.insert(&block).second)
    return;
  // Walking backwards, the first operation seen to use a value is its last.
  llvm::DenseSet<mlir::Value> seen;
  for (Operation &op : llvm::reverse(block)) {
    auto use = [&](mlir::Value value) {
      if (value.getParentBlock() == &block && seen.insert(value).second &&
          !op.hasTrait<OpTrait::IsTerminator>())
        dying[&op].push_back(value);
    };
    for (mlir::Value result : op.getResults())
      use(result);
    op.walk([&](Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        use(operand);
    });
  }
}

} // namespace kiln::eval

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that go on for as long as data says: `prim.while`.
#include "DataLoop.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

using Values = SmallVector<Value>;
/// Translates a region, given what is carried; adds what it gives.
using Part = llvm::function_ref<LogicalResult(ValueRange, Values &)>;

/// The tensors that values of the source stand for.
LogicalResult read(Operation *op, ValueRange sources, Values &values,
                   Translator &e) {
  for (Value source : sources) {
    if (e.getOpaque(source) || !e.isKnown(source))
      return e.reported
                 ? failure()
                 : e.unsupported(op, "carries a value that is no tensor");
    if (e.placeOf(source))
      return e.unsupported(op, "carries buffers, and depends on data");
    values.push_back(e.get(source));
    if (!values.back())
      return failure();
  }
  return success();
}

/// Values of the source stand for tensors from now on.
void bind(ValueRange sources, ValueRange values, Translator &e) {
  for (auto [source, value] : llvm::zip_equal(sources, values)) {
    e.forget(source);
    e.alias(source, value);
  }
}

/// A loop that carries values, and what buffers hold.
class Loop {
public:
  Loop(Operation *op, Translator &e) : op(op), e(e) {}

  /// The values after the loop.
  FailureOr<Values> run(Values inits, Part test, Part body) {
    size_t numValues = inits.size(), numPrinted = e.printed.size();
    Values held = e.saveBuffers();
    if (touchesBuffers())
      llvm::append_range(inits, held);
    auto globals = e.globalPlaces;
    e.b.setLoc(op->getLoc());
    auto loop = prim::WhileOp::create(e.b, ValueRange(inits).getTypes(), inits);
    auto fill = [&](Region &region, Part part, bool isBody) -> LogicalResult {
      OpBuilder::InsertionGuard guard(e.b);
      Block *block = e.b.createBlock(&region);
      for (Value init : inits)
        block->addArgument(init.getType(), op->getLoc());
      ValueRange arguments = block->getArguments();
      e.restoreBuffers(Values(arguments.drop_front(numValues)));
      Values results;
      if (failed(part(arguments.take_front(numValues), results)))
        return failure();
      if (isBody) {
        Values now = e.saveBuffers();
        llvm::append_range(results,
                           ArrayRef(now).take_front(inits.size() - numValues));
        for (auto [result, argument] : llvm::zip_equal(results, arguments))
          if (failed(keepType(result, argument)))
            return failure();
      }
      e.b.setLoc(op->getLoc());
      prim::YieldOp::create(e.b, results);
      return success();
    };
    bool done = succeeded(fill(loop.getCondition(), test, false)) &&
                succeeded(fill(loop.getBody(), body, true));
    e.restoreBuffers(held);
    e.globalPlaces = globals;
    e.printed.truncate(numPrinted);
    if (!done)
      return failure();
    ValueRange results = loop.getResults();
    e.restoreBuffers(Values(results.drop_front(numValues)));
    return Values(results.take_front(numValues));
  }

private:
  bool touchesBuffers() {
    return op
        ->walk([](Operation *inner) {
          bool touches = llvm::any_of(inner->getOperandTypes(), [](Type type) {
            return isa<BaseMemRefType>(type);
          });
          return touches || isa<func::CallOp>(inner) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// What a step gives has the sizes of what it was given.
  LogicalResult keepType(Value &result, Value argument) {
    RankedTensorType type = e.typeOf(argument);
    if (e.elementOf(result) != type.getElementType() ||
        e.typeOf(result).getRank() != type.getRank())
      return e.unsupported(op, "carries another type in each step");
    Sizes own = e.sizesOf(result), expected = e.sizesOf(argument);
    if (own != expected)
      return e.unsupported(
          op, "depends on data, and may carry another size in each step");
    result = e.reshape(result, expected);
    return success(result.getType() == type);
  }

  Operation *op;
  Translator &e;
};

} // namespace

LogicalResult loopOverData(scf::ForOp op, Translator &e) {
  if (op.getUnsignedCmp())
    return e.unsupported(op, "with unsigned bounds that depend on data");
  Values bounds, inits;
  if (failed(read(op, {op.getLowerBound(), op.getUpperBound(), op.getStep()},
                  bounds, e)))
    return failure();
  inits.push_back(bounds[0]);
  if (failed(read(op, op.getInitArgs(), inits, e)))
    return failure();
  auto test = [&](ValueRange carried, Values &results) {
    results.push_back(e.compare<prim::LtOp>(carried.front(), bounds[1]));
    return success();
  };
  auto body = [&](ValueRange carried, Values &results) {
    bind(op.getBody()->getArguments(), carried, e);
    if (failed(e.emitBlock(*op.getBody())))
      return failure();
    e.b.setLoc(op.getLoc());
    results.push_back(e.add(carried.front(), bounds[2]));
    return read(op, op.getBody()->getTerminator()->getOperands(), results, e);
  };
  auto results = Loop(op, e).run(inits, test, body);
  if (failed(results))
    return failure();
  bind(op.getResults(), ArrayRef(*results).drop_front(), e);
  return success();
}

LogicalResult loopWhileData(Operation *op, Block &test, Block &body,
                            bool keepsArguments, Translator &e) {
  Values inits;
  if (failed(read(op, test.getArguments(), inits, e)))
    return failure();
  OperandRange yielded = test.getTerminator()->getOperands();
  auto next = keepsArguments ? ValueRange(test.getArguments())
                             : ValueRange(yielded.drop_front());
  auto evaluate = [&](ValueRange carried) {
    bind(test.getArguments(), carried, e);
    return e.emitBlock(test);
  };
  auto condition = [&](ValueRange carried, Values &results) {
    if (failed(evaluate(carried)) ||
        failed(read(op, yielded.front(), results, e)))
      return failure();
    if (e.typeOf(results[0]).getNumElements() != 1)
      return e.unsupported(op, "has a condition of more than one element");
    results[0] = e.reshape(results[0], ArrayRef<int64_t>());
    return success();
  };
  auto step = [&](ValueRange carried, Values &results) {
    if (failed(evaluate(carried)))
      return failure();
    e.share(next, body.getArguments());
    if (failed(e.emitBlock(body)))
      return failure();
    return read(op, body.getTerminator()->getOperands(), results, e);
  };
  auto results = Loop(op, e).run(inits, condition, step);
  if (failed(results))
    return failure();
  // What the last test gives is computed again behind the loop.
  if (keepsArguments)
    bind(test.getArguments(), *results, e);
  else if (failed(evaluate(*results)))
    return failure();
  e.share(next, op->getResults());
  return success();
}

} // namespace kiln::tensor_to_prim

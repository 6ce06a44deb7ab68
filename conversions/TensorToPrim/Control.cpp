// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls, printing, and conditions.
#include "DataLoop.h"
#include "LoopLength.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// Whether a function without a body leaves an argument as it is: by an
/// attribute, or as one of those that MLIR's runner libraries print and compare
/// buffers with.
bool onlyReads(func::FuncOp callee, unsigned argument) {
  auto access =
      callee.getArgAttrOfType<StringAttr>(argument, "bufferization.access");
  return (access && (access == "read" || access == "none")) ||
         callee.getArgAttr(argument,
                           LLVM::LLVMDialect::getReadonlyAttrName()) ||
         callee.getName().starts_with("print") ||
         callee.getName().starts_with("verifyMemRef");
}

/// A call of a function without a body prints or measures: it is ignored, and
/// its results must not be needed.
LogicalResult call(func::CallOp op, Translator &e) {
  func::FuncOp callee = e.lookup(op.getCallee());
  if (!callee)
    return e.unsupported(op, "of '" + op.getCallee() +
                                 "', which is not a function");
  if (!callee.isExternal()) {
    for (Value operand : op.getOperands())
      if (!e.isKnown(operand) && !e.getOpaque(operand))
        return failure();
    return e.inlineCall(op, callee);
  }
  for (Value operand : op.getOperands())
    if (!e.isKnown(operand) && !e.getOpaque(operand))
      return failure();
  op.emitRemark("ignored: call of undefined function '")
      << op.getCallee() << "'";
  for (auto [number, operand] : llvm::enumerate(op.getOperands())) {
    if (op.getNumResults() == 0 && e.isKnown(operand) &&
        !e.getOpaque(operand) && isa<ShapedType>(operand.getType()))
      e.printed.push_back(e.get(operand));
    if (auto place = e.placeOf(operand); place && !onlyReads(callee, number))
      place->root().call = op;
  }
  for (Value result : op.getResults()) {
    e.forget(result);
    e.setOpaque(result, op);
  }
  return success();
}

/// What is printed counts as computed.
LogicalResult print(vector::PrintOp op, Translator &e) {
  if (Value source = op.getSource())
    if (!isa<IndexType>(source.getType()))
      e.printed.push_back(e.get(source));
  return success();
}

/// A number or a truth value that is known now.
std::optional<int64_t> knownNumber(Value source, Translator &e) {
  if (auto sizes = e.getConstantSizes(source); sizes && sizes->size() == 1)
    return sizes->front();
  Value value = e.isKnown(source) ? e.get(source) : Value();
  auto numbers = value ? e.integersOf(value) : std::nullopt;
  if (!numbers || numbers->size() != 1)
    return std::nullopt;
  return numbers->front();
}

/// Numbers that do not depend on data become constants, so that a loop ends.
void settle(ValueRange sources, Translator &e) {
  for (Value source : sources)
    if (e.isKnown(source) && !e.placeOf(source) && e.getSizes(source).empty())
      if (Value value = e.get(source))
        e.alias(source, e.settle(value));
}

/// What is known to hold needs no check. Nothing of prim ends a program: what
/// depends on data is not checked, and that is said.
LogicalResult assertion(cf::AssertOp op, Translator &e) {
  auto known = knownNumber(op.getArg(), e);
  if (known && *known == 0 && !e.isSpeculative)
    return e.unsupported(op, "fails whenever it is reached: " + op.getMsg());
  if (!known)
    op.emitRemark("ignored: assertion '") << op.getMsg() << "' is not checked";
  return success();
}

/// Reports what a value of a region lacks, if it is not known.
LogicalResult checkKnown(ValueRange sources, Translator &e) {
  for (Value source : sources) {
    if (Operation *call = e.getOpaque(source))
      return e.unsupported(call, "of an undefined function");
    if (!e.isKnown(source))
      return failure();
  }
  return success();
}

LogicalResult ifOp(scf::IfOp op, Translator &e) {
  return translateBranch(op, op.getCondition(), {}, op.getThenRegion(),
                         op.getElseRegion(), e);
}

LogicalResult checkLength(Operation *op, int64_t steps, Region &body,
                          Translator &e) {
  if (isShort(steps, body))
    return success();
  return e.unsupported(op, "runs so often that unrolled it has more than " +
                               Twine(mostOperations) + " operations or " +
                               Twine(mostSteps) + " steps");
}

/// The body as often as it runs: a loop around a model, to measure it, or over
/// parts of its operands.
LogicalResult unroll(scf::ForOp op, Translator &e) {
  auto low = knownNumber(op.getLowerBound(), e),
       high = knownNumber(op.getUpperBound(), e),
       by = knownNumber(op.getStep(), e);
  if (e.body)
    return e.unsupported(op, "inside of a body");
  if (by && *by < 1)
    return e.unsupported(op, "has a step below 1");
  if (!low || !high || !by ||
      !isShort(stepsOf(*low, *high, *by), op.getRegion()))
    return loopOverData(op, e);
  e.share(op.getInitArgs(), op.getRegionIterArgs());
  mlir::Block *body = op.getBody();
  Value induction = op.getInductionVar();
  for (int64_t i = *low; i < *high; i += *by) {
    e.forget(induction);
    if (isa<IndexType>(induction.getType()))
      e.setSizes(induction, {e.size(i)});
    else
      e.alias(induction,
              e.full(integerAttr(primElement(induction.getType()), i), {}));
    if (failed(e.emitBlock(*body)) ||
        failed(checkKnown(body->getTerminator()->getOperands(), e)))
      return failure();
    e.share(body->getTerminator()->getOperands(), op.getRegionIterArgs());
    settle(op.getRegionIterArgs(), e);
  }
  e.share(op.getRegionIterArgs(), op.getResults());
  return success();
}

/// Bounds of several loops at once, as numbers.
std::optional<SmallVector<int64_t>> knownNumbers(ArrayRef<OpFoldResult> list,
                                                 Translator &e) {
  SmallVector<int64_t> numbers;
  for (OpFoldResult entry : list) {
    auto value = dyn_cast<Value>(entry);
    auto number = value ? knownNumber(value, e) : getConstantIntValue(entry);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// Calls `step` for all points of a nest of loops, in their order.
LogicalResult nest(Operation *op, ArrayRef<OpFoldResult> lower,
                   ArrayRef<OpFoldResult> upper, ArrayRef<OpFoldResult> steps,
                   ValueRange inductions, Translator &e,
                   llvm::function_ref<LogicalResult()> step) {
  auto low = knownNumbers(lower, e), high = knownNumbers(upper, e),
       by = knownNumbers(steps, e);
  if (e.body || !low || !high || !by ||
      llvm::any_of(*by, [](int64_t s) { return s < 1; }))
    return e.unsupported(op, "does not have constant bounds");
  int64_t total = 1;
  for (size_t dim = 0; dim < low->size(); ++dim) {
    total *= stepsOf((*low)[dim], (*high)[dim], (*by)[dim]);
    if (failed(checkLength(op, total, op->getRegion(0), e)))
      return failure();
  }
  SmallVector<int64_t> at = *low;
  for (int64_t i = 0; i < total; ++i) {
    for (auto [induction, number] : llvm::zip_equal(inductions, at)) {
      e.forget(induction);
      e.setSizes(induction, {e.size(number)});
    }
    if (failed(step()))
      return failure();
    for (size_t dim = at.size(); dim-- > 0;) {
      at[dim] += (*by)[dim];
      if (at[dim] < (*high)[dim])
        break;
      at[dim] = (*low)[dim];
    }
  }
  return success();
}

/// Parts of results, computed in any order: one after the other.
LogicalResult forall(scf::ForallOp op, Translator &e) {
  e.share(op.getOutputs(), op.getRegionIterArgs());
  auto step = [&]() -> LogicalResult {
    if (failed(e.emitBlock(*op.getBody())))
      return failure();
    for (Operation &inner : op.getTerminator().getYieldingOps()) {
      auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(inner);
      if (!insert)
        return e.unsupported(&inner, "has no translation to prim");
      if (failed(checkKnown(inner.getOperands(), e)))
        return failure();
      e.b.setLoc(inner.getLoc());
      auto whole = writePart(
          &inner, e.get(insert.getDest()), e.get(insert.getSource()),
          partOf(insert.getMixedOffsets(), insert.getMixedSizes(),
                 insert.getMixedStrides(), insert.getDroppedDims(), e),
          e);
      if (failed(whole))
        return failure();
      e.alias(insert.getDest(), *whole);
    }
    return success();
  };
  if (failed(nest(op, op.getMixedLowerBound(), op.getMixedUpperBound(),
                  op.getMixedStep(), op.getInductionVars(), e, step)))
    return failure();
  e.share(op.getRegionIterArgs(), op.getResults());
  return success();
}

/// The same with buffers and sums of what the iterations give.
LogicalResult parallel(scf::ParallelOp op, Translator &e) {
  SmallVector<Value> sums;
  for (Value init : op.getInitVals()) {
    sums.push_back(e.get(init));
    if (!sums.back())
      return failure();
  }
  auto step = [&]() -> LogicalResult {
    if (failed(e.emitBlock(*op.getBody())))
      return failure();
    auto reduce = cast<scf::ReduceOp>(op.getBody()->getTerminator());
    if (failed(checkKnown(reduce.getOperands(), e)))
      return failure();
    for (auto [sum, operand, region] :
         llvm::zip_equal(sums, reduce.getOperands(), reduce.getReductions())) {
      mlir::Block &block = region.front();
      e.alias(block.getArgument(0), sum);
      e.alias(block.getArgument(1), e.get(operand));
      if (failed(e.emitBlock(block)))
        return failure();
      sum = e.get(block.getTerminator()->getOperand(0));
      if (!sum)
        return failure();
    }
    return success();
  };
  auto list = [](ValueRange values) {
    return SmallVector<OpFoldResult>(values.begin(), values.end());
  };
  if (failed(nest(op, list(op.getLowerBound()), list(op.getUpperBound()),
                  list(op.getStep()), op.getInductionVars(), e, step)))
    return failure();
  for (auto [result, sum] : llvm::zip_equal(op.getResults(), sums))
    e.alias(result, sum);
  return success();
}

LogicalResult whileOp(scf::WhileOp op, Translator &e) {
  return translateLoop(op, op.getInits(), op.getBefore(), op.getAfter(),
                       /*keepsArguments=*/false, e);
}

/// A vector that is read to be printed: elements of a tensor from constants on.
LogicalResult transferRead(vector::TransferReadOp op, Translator &e) {
  Value x = e.get(op.getBase());
  if (!x)
    return failure();
  int64_t rank = e.typeOf(x).getRank(),
          missing = rank - op.getVectorType().getRank();
  if (!op.getPermutationMap().isMinorIdentity() || op.getMask() || e.body)
    return e.unsupported(op, "with another order or a mask");
  for (auto [dim, operand] : llvm::enumerate(op.getIndices())) {
    auto start = knownNumber(operand, e);
    int64_t extent = e.typeOf(x).getDimSize(dim);
    int64_t count = int64_t(dim) < missing
                        ? 1
                        : op.getVectorType().getDimSize(dim - missing);
    if (!start || ShapedType::isDynamic(extent) || *start < 0 ||
        *start + count > extent)
      return e.unsupported(op, "reads elements that may be out of bounds");
    x = e.sliceDim(x, dim, *start, *start + count);
  }
  e.alias(op, e.reshape(x, op.getVectorType().getShape()));
  return success();
}

} // namespace

LogicalResult translateBranch(Operation *op, Value condition, ValueRange inputs,
                              Region &yes, Region &no, Translator &e) {
  auto run = [&](Region &region) -> FailureOr<OperandRange> {
    if (region.empty()) // an scf.if that gives nothing
      return op->getOperands().drop_front(op->getNumOperands());
    mlir::Block &block = region.front();
    e.share(inputs, block.getArguments());
    if (failed(e.emitBlock(block)))
      return failure();
    OperandRange results = block.getTerminator()->getOperands();
    if (failed(checkKnown(results, e)))
      return failure();
    return results;
  };
  if (auto known = knownNumber(condition, e)) {
    auto taken = run(*known ? yes : no);
    if (failed(taken))
      return failure();
    e.share(*taken, op->getResults());
    return success();
  }
  Value mask = e.get(condition);
  if (!mask)
    return failure();
  if (!e.body && (!e.typeOf(mask).hasStaticShape() ||
                  e.typeOf(mask).getNumElements() != 1))
    return e.unsupported(op, "has a condition of more than one element");
  if (!e.body)
    mask = e.reshape(mask, ArrayRef<int64_t>());
  auto choose = [&](Value a, Value c) {
    if (e.body) // each point of the iteration space has a side of its own
      return e.where(mask, a, c);
    Value refined = e.refine(a, e.typeOf(c).getShape());
    Value other = e.refine(c, e.typeOf(refined).getShape());
    return e.where(e.broadcastInDim(mask, {}, e.sizesOf(refined)), refined,
                   other);
  };
  auto read = [&](OperandRange range) -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> values;
    for (Value result : range) {
      if (e.placeOf(result))
        return e.unsupported(op, "chooses between buffers");
      values.push_back(e.get(result));
      if (!values.back())
        return failure();
    }
    return values;
  };
  llvm::SaveAndRestore<bool> speculative(e.isSpeculative, true);
  SmallVector<Value> before = e.saveBuffers();
  auto taken = run(yes);
  FailureOr<SmallVector<Value>> yesValues, noValues;
  if (succeeded(taken))
    yesValues = read(*taken);
  SmallVector<Value> after = e.saveBuffers();
  e.restoreBuffers(before);
  auto other = run(no);
  if (succeeded(other))
    noValues = read(*other);
  if (failed(yesValues) || failed(noValues))
    return failure();
  e.b.setLoc(op->getLoc());
  SmallVector<Value> now = e.saveBuffers();
  for (size_t i = 0; i < before.size(); ++i)
    if (after[i] != now[i])
      now[i] = choose(after[i], now[i]);
  e.restoreBuffers(now);
  for (auto [result, a, c] :
       llvm::zip_equal(op->getResults(), *yesValues, *noValues))
    if (failed(e.set(result, choose(a, c))))
      return failure();
  return success();
}

LogicalResult translateLoop(Operation *op, ValueRange inits, Region &before,
                            Region &after, bool keepsArguments, Translator &e) {
  if (e.body)
    return e.unsupported(op, "inside of a body");
  mlir::Block &test = before.front(), &body = after.front();
  SmallVector<Value> first = e.saveBuffers();
  e.share(inits, test.getArguments());
  for (int64_t steps = 0;; ++steps) {
    if (!isShort(steps, after)) { // from its beginning
      e.restoreBuffers(first);
      e.share(inits, test.getArguments());
      return loopWhileData(op, test, body, keepsArguments, e);
    }
    SmallVector<Value> held = e.saveBuffers();
    if (failed(e.emitBlock(test)) ||
        failed(checkKnown(test.getTerminator()->getOperands(), e)))
      return failure();
    ValueRange yielded = test.getTerminator()->getOperands();
    auto known = knownNumber(yielded.front(), e);
    if (!known) { // the test is made again, in the loop
      e.restoreBuffers(held);
      return loopWhileData(op, test, body, keepsArguments, e);
    }
    ValueRange values = yielded.drop_front();
    if (keepsArguments)
      values = test.getArguments();
    if (!*known) {
      e.share(values, op->getResults());
      return success();
    }
    e.share(values, body.getArguments());
    if (failed(e.emitBlock(body)) ||
        failed(checkKnown(body.getTerminator()->getOperands(), e)))
      return failure();
    e.share(body.getTerminator()->getOperands(), test.getArguments());
    settle(test.getArguments(), e);
  }
}

void addControlRules(Rules &rules) {
  rules.add<func::CallOp>(call);
  rules.add<cf::AssertOp>(assertion);
  rules.add<vector::PrintOp>(print);
  rules.add<vector::TransferReadOp>(transferRead);
  rules.add<scf::IfOp>(ifOp);
  rules.add<scf::ForOp>(unroll);
  rules.add<scf::ForallOp>(forall);
  rules.add<scf::ParallelOp>(parallel);
  rules.add<scf::WhileOp>(whileOp);
}

} // namespace kiln::tensor_to_prim

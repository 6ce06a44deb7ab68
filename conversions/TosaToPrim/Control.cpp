// Calls, printing, and conditions.
#include "Emitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::tosa_to_prim {
namespace {

/// A call of a function without a body prints or measures: it is ignored, and
/// its results must not be needed.
LogicalResult call(func::CallOp op, Emitter &e) {
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
  if (op.getNumResults() == 0)
    for (Value operand : op.getOperands())
      if (e.isKnown(operand) && isa<ShapedType>(operand.getType()))
        e.printed.push_back(e.get(operand));
  for (Value result : op.getResults()) {
    e.forget(result);
    e.setOpaque(result, op);
  }
  return success();
}

/// What is printed counts as computed.
LogicalResult print(vector::PrintOp op, Emitter &e) {
  if (Value source = op.getSource())
    if (!isa<IndexType>(source.getType()))
      e.printed.push_back(e.get(source));
  return success();
}

/// Both sides are computed, and one is taken: no operation of prim has
/// effects or traps.
LogicalResult condIf(tosa::IfOp op, Emitter &e) {
  auto branch = [&](Region &region) -> FailureOr<SmallVector<Value>> {
    Block &block = region.front();
    for (auto [operand, argument] :
         llvm::zip(op.getInputList(), block.getArguments()))
      e.alias(argument, e.get(operand));
    if (failed(e.emitBlock(block)))
      return failure();
    SmallVector<Value> results;
    for (Value result : block.getTerminator()->getOperands()) {
      if (Operation *source = e.getOpaque(result))
        return e.unsupported(source, "of an undefined function");
      if (!e.isKnown(result))
        return failure();
      results.push_back(e.get(result));
    }
    return results;
  };
  auto yes = branch(op.getThenGraph());
  auto no = branch(op.getElseGraph());
  if (failed(yes) || failed(no))
    return failure();
  e.b.setLoc(op.getLoc());
  Value condition = e.get(op.getCondition());
  if (!e.typeOf(condition).hasStaticShape() ||
      e.typeOf(condition).getNumElements() != 1)
    return e.unsupported(op, "has a condition of more than one element");
  condition = e.reshape(condition, ArrayRef<int64_t>());
  for (auto [result, a, c] : llvm::zip_equal(op.getOutputList(), *yes, *no)) {
    Value refined = e.refine(a, e.typeOf(c).getShape());
    Value other = e.refine(c, e.typeOf(refined).getShape());
    Value mask = e.broadcastInDim(condition, {}, e.sizesOf(refined));
    if (failed(e.set(result, e.where(mask, refined, other))))
      return failure();
  }
  return success();
}

/// The body as often as it runs: a loop around a model, to measure it.
LogicalResult unroll(scf::ForOp op, Emitter &e) {
  auto lower = e.getConstantSizes(op.getLowerBound());
  auto upper = e.getConstantSizes(op.getUpperBound());
  auto step = e.getConstantSizes(op.getStep());
  if (e.body || !lower || !upper || !step || step->front() < 1)
    return e.unsupported(op, "does not have constant bounds");
  int64_t low = lower->front(), high = upper->front(), by = step->front();
  constexpr int64_t most = 64;
  if (high > low && (high - low - 1) / by >= most)
    return e.unsupported(op, "runs more than " + Twine(most) + " times");
  SmallVector<Value> carried;
  for (Value init : op.getInitArgs())
    carried.push_back(e.get(init));
  Block *body = op.getBody();
  for (int64_t i = low; i < high; i += by) {
    e.setSizes(op.getInductionVar(), {e.size(i)});
    for (auto [argument, value] :
         llvm::zip_equal(op.getRegionIterArgs(), carried))
      e.alias(argument, value);
    if (failed(e.emitBlock(*body)))
      return failure();
    for (auto [value, yielded] :
         llvm::zip_equal(carried, body->getTerminator()->getOperands())) {
      if (Operation *source = e.getOpaque(yielded))
        return e.unsupported(source, "of an undefined function");
      value = e.isKnown(yielded) ? e.get(yielded) : Value();
      if (!value)
        return failure();
    }
  }
  e.b.setLoc(op.getLoc());
  for (auto [result, value] : llvm::zip_equal(op.getResults(), carried))
    if (failed(e.set(result, value)))
      return failure();
  return success();
}

} // namespace

void addControlRules(Rules &rules) {
  rules.add<func::CallOp>(call);
  rules.add<vector::PrintOp>(print);
  rules.add<tosa::IfOp>(condIf);
  rules.add<scf::ForOp>(unroll);
}

} // namespace kiln::tosa_to_prim

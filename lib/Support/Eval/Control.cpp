// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scf and func: control flow.
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Register.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace kiln::eval {

namespace {

LogicalResult setAll(Operation *op, Frame &frame, ArrayRef<Value> values) {
  if (values.size() != op->getNumResults())
    return op->emitOpError("expected ")
           << op->getNumResults() << " results, found " << values.size();
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    (void)frame.set(result, value);
  return success();
}

/// Control flow on poison is undefined behaviour.
LogicalResult checkDecides(Operation *op, const Value &value, StringRef what) {
  if (value.hasPoison())
    return op->emitOpError() << what << " is poison";
  return success();
}

/// Of a loop over integers of `width` bits. Its bounds, sign-extended, keep
/// their order in either sense, and their distance modulo 2 to the width.
uint64_t numberOfTrips(int64_t first, int64_t last, int64_t step,
                       bool isUnsigned, unsigned width) {
  bool runs = isUnsigned ? uint64_t(first) < uint64_t(last) : first < last;
  uint64_t distance = (uint64_t(last) - uint64_t(first)) &
                      llvm::maskTrailingOnes<uint64_t>(width);
  return runs ? (distance - 1) / uint64_t(step) + 1 : 0;
}

LogicalResult evaluateFor(scf::ForOp op, Frame &frame) {
  for (mlir::Value bound :
       {op.getLowerBound(), op.getUpperBound(), op.getStep()})
    if (failed(checkDecides(op, frame.get(bound), "a bound of the loop")))
      return failure();
  bool isUnsigned = op.getUnsignedCmp();
  int64_t first = frame.getInt(op.getLowerBound());
  int64_t last = frame.getInt(op.getUpperBound());
  int64_t step = frame.getInt(op.getStep());
  if (step <= 0)
    return op.emitOpError("expected a positive step, found ") << step;
  DType dtype = dtypeOf(op.getInductionVar().getType());
  SmallVector<Value> carried = frame.get(op.getInitArgs());
  auto type = dyn_cast<IntegerType>(op.getInductionVar().getType());
  uint64_t trips =
      numberOfTrips(first, last, step, isUnsigned, type ? type.getWidth() : 64);
  for (uint64_t trip = 0; trip < trips; ++trip) {
    auto number = uint64_t(first) + trip * uint64_t(step);
    SmallVector<Value> args = {Value::ofInt(dtype, int64_t(number))};
    llvm::append_range(args, carried);
    if (failed(frame.run(op.getRegion(), args, carried)))
      return failure();
  }
  return setAll(op, frame, carried);
}

LogicalResult evaluateIf(scf::IfOp op, Frame &frame) {
  const Value &condition = frame.get(op.getCondition());
  if (failed(checkDecides(op, condition, "the condition")))
    return failure();
  Region &region = condition.asInt() ? op.getThenRegion() : op.getElseRegion();
  SmallVector<Value> results;
  if (!region.empty() && failed(frame.run(region, {}, results)))
    return failure();
  return setAll(op, frame, results);
}

LogicalResult evaluateWhile(scf::WhileOp op, Frame &frame) {
  SmallVector<Value> carried = frame.get(op.getInits());
  while (true) {
    SmallVector<Value> results;
    if (failed(frame.run(op.getBefore(), carried, results)))
      return failure();
    Value condition = results.front();
    results.erase(results.begin());
    if (failed(checkDecides(op, condition, "the condition")))
      return failure();
    if (!condition.asInt())
      return setAll(op, frame, results);
    if (failed(frame.run(op.getAfter(), results, carried)))
      return failure();
    if (frame.instance && frame.instance->suspend)
      frame.instance->suspend();
  }
}

LogicalResult evaluateSwitch(scf::IndexSwitchOp op, Frame &frame) {
  const Value &value = frame.get(op.getArg());
  if (failed(checkDecides(op, value, "the index")))
    return failure();
  Region *region = &op.getDefaultRegion();
  for (auto [choice, block] : llvm::zip(op.getCases(), op.getCaseRegions()))
    if (choice == value.asInt())
      region = &block;
  SmallVector<Value> results;
  if (failed(frame.run(*region, {}, results)))
    return failure();
  return setAll(op, frame, results);
}

struct ScfEvaluation : EvaluationInterface {
  explicit ScfEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<scf::ForOp>(evaluateFor);
    add<scf::IfOp>(evaluateIf);
    add<scf::WhileOp>(evaluateWhile);
    add<scf::IndexSwitchOp>(evaluateSwitch);
  }
};

struct FuncEvaluation : EvaluationInterface {
  explicit FuncEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<func::CallOp>([](func::CallOp op, Frame &frame) -> LogicalResult {
      FunctionOpInterface callee = frame.evaluator.lookup(op.getCallee());
      if (!callee)
        return op.emitOpError("unsupported: call of undefined function '")
               << op.getCallee() << "'";
      SmallVector<Value> results;
      if (failed(frame.evaluator.call(callee, frame.get(op.getOperands()),
                                      results, op.getLoc())))
        return failure();
      return setAll(op, frame, results);
    });
  }
};

} // namespace

void registerControlEvaluation(DialectRegistry &registry) {
  registry.insert<scf::SCFDialect, func::FuncDialect>();
  registry.addExtension(+[](MLIRContext *, scf::SCFDialect *dialect) {
    dialect->addInterfaces<ScfEvaluation>();
  });
  registry.addExtension(+[](MLIRContext *, func::FuncDialect *dialect) {
    dialect->addInterfaces<FuncEvaluation>();
  });
}

} // namespace kiln::eval

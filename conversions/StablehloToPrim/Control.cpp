// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow, calls, tuples and tokens of StableHLO.
#include "Collective.h"
#include "ComputedSizes.h"
#include "Reduction.h"

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

LogicalResult whileLoop(stablehlo::WhileOp op, Translator &e) {
  auto types = typesOf(op, op.getResultTypes(), e);
  if (failed(types))
    return failure();
  auto made =
      make(op, "while", tensorsOf(op.getOperand(), e), *types, e, {}, 2);
  if (failed(made) ||
      failed(translateRegion(op, op.getCond(), (*made)->getRegion(0), e)) ||
      failed(translateRegion(op, op.getBody(), (*made)->getRegion(1), e)))
    return failure();
  return bindAll(op.getResults(), Tensors((*made)->getResults()), e);
}

/// `yes` if `condition` holds, else what `no` makes in its own region.
LogicalResult branch(Operation *op, Value condition, Region &yes,
                     llvm::function_ref<LogicalResult(Region &)> no,
                     Tensors &results, Translator &e) {
  auto types = typesOf(op, op->getResultTypes(), e);
  if (failed(types))
    return failure();
  for (Type type : *types)
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return e.unsupported(op, "gives a size that is not known");
  auto made = make(op, "if", condition, *types, e, {}, 2);
  if (failed(made) ||
      failed(translateRegion(op, yes, (*made)->getRegion(0), e)) ||
      failed(no((*made)->getRegion(1))))
    return failure();
  results.assign((*made)->getResults().begin(), (*made)->getResults().end());
  return success();
}

/// What is known to be taken is taken, without a condition.
LogicalResult takeBranch(Operation *op, Region &region, Translator &e) {
  auto results = inlineRegion(region, {}, e);
  return failed(results) ? failure() : bindAll(op->getResults(), *results, e);
}

/// Whether a region may be computed where it is not taken: it ends, and nobody
/// waits for it. Calls are followed up to a depth.
bool isSpeculatable(Region &region, int depth, Translator &e) {
  return !region
              .walk([&](Operation *op) {
                auto call = dyn_cast<func::CallOp>(op);
                func::FuncOp callee =
                    call ? e.lookup(call.getCallee()) : nullptr;
                bool isFine =
                    call ? callee && !callee.isExternal() && depth > 0 &&
                               isSpeculatable(callee.getBody(), depth - 1, e)
                         : !isa<stablehlo::WhileOp, stablehlo::CustomCallOp,
                                stablehlo::AllReduceOp, stablehlo::AllGatherOp,
                                stablehlo::ReduceScatterOp,
                                stablehlo::AllToAllOp,
                                stablehlo::CollectiveBroadcastOp,
                                stablehlo::CollectivePermuteOp>(op);
                return isFine ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Whether the results have sizes that are not known: no condition gives such.
bool hasOpenSizes(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

/// All branches, of which each element is taken from one: that whose condition
/// is the first to hold, or the last one.
LogicalResult takeElements(Operation *op, ArrayRef<Region *> branches,
                           ArrayRef<Value> conditions, Translator &e) {
  SmallVector<Tensors> all;
  for (Region *region : branches) {
    if (!isSpeculatable(*region, 32, e))
      return e.unsupported(op, "gives a size that is not known, from a loop or "
                               "from outside");
    auto results = inlineRegion(*region, {}, e);
    if (failed(results))
      return failure();
    all.push_back(*results);
  }
  e.b.setLoc(op->getLoc());
  Tensors taken = all.back();
  for (size_t i = conditions.size(); i-- > 0;)
    for (auto [value, other] : llvm::zip_equal(taken, all[i]))
      value = e.where(e.broadcastInDim(conditions[i], {}, e.sizesOf(other)),
                      other, value);
  return bindAll(op->getResults(), taken, e);
}

LogicalResult ifOp(stablehlo::IfOp op, Translator &e) {
  Value condition = e.get(op.getPred());
  if (auto known = e.integersOf(condition); known && known->size() == 1)
    return takeBranch(
        op, known->front() ? op.getTrueBranch() : op.getFalseBranch(), e);
  if (hasOpenSizes(op))
    return takeElements(op, {&op.getTrueBranch(), &op.getFalseBranch()},
                        e.reshape(condition, ArrayRef<int64_t>()), e);
  Tensors results;
  auto no = [&](Region &region) {
    return translateRegion(op, op.getFalseBranch(), region, e);
  };
  if (failed(branch(op, e.reshape(condition, ArrayRef<int64_t>()),
                    op.getTrueBranch(), no, results, e)))
    return failure();
  return bindAll(op.getResults(), results, e);
}

/// Conditions for one branch after the other; the last one is taken for every
/// other index.
LogicalResult caseFrom(stablehlo::CaseOp op, Value index, size_t number,
                       Tensors &results, Translator &e) {
  auto branches = op.getBranches();
  e.b.setLoc(op.getLoc());
  Value here = e.compare<prim::EqOp>(index, e.integer(number, index));
  auto rest = [&](Region &region) -> LogicalResult {
    if (number + 2 == branches.size())
      return translateRegion(op, branches[number + 1], region, e);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.createBlock(&region);
    Tensors inner;
    if (failed(caseFrom(op, index, number + 1, inner, e)))
      return failure();
    prim::YieldOp::create(e.b, inner);
    return success();
  };
  return branch(op, here, branches[number], rest, results, e);
}

LogicalResult caseOp(stablehlo::CaseOp op, Translator &e) {
  auto branches = op.getBranches();
  Value index = e.reshape(e.get(op.getIndex()), ArrayRef<int64_t>());
  if (auto known = e.integersOf(index); known && known->size() == 1) {
    int64_t last = branches.size() - 1;
    bool inside = known->front() >= 0 && known->front() <= last;
    return takeBranch(op, branches[inside ? known->front() : last], e);
  }
  if (branches.size() == 1)
    return takeBranch(op, branches[0], e);
  if (hasOpenSizes(op)) {
    SmallVector<Region *> regions;
    Tensors conditions;
    for (auto [i, region] : llvm::enumerate(branches)) {
      regions.push_back(&region);
      if (i + 1 < branches.size())
        conditions.push_back(e.compare<prim::EqOp>(index, e.integer(i, index)));
    }
    return takeElements(op, regions, conditions, e);
  }
  Tensors results;
  if (failed(caseFrom(op, index, 0, results, e)))
    return failure();
  return bindAll(op.getResults(), results, e);
}

/// Values are handed on as they are.
LogicalResult barrier(stablehlo::OptimizationBarrierOp op, Translator &e) {
  e.share(op.getOperand(), op.getResult());
  return success();
}

LogicalResult tuple(stablehlo::TupleOp op, Translator &e) {
  return bind(op, tensorsOf(op.getVal(), e), e);
}

LogicalResult getTupleElement(stablehlo::GetTupleElementOp op, Translator &e) {
  auto type = cast<TupleType>(op.getOperand().getType());
  size_t index = op.getIndex();
  if (index >= type.size())
    return e.unsupported(op, "of a member that the tuple does not have");
  auto before = typesOf(op, type.getTypes().take_front(index), e);
  auto own = typesOf(op, type.getType(index), e);
  if (failed(before) || failed(own))
    return failure();
  Tensors all = tensorsOf(op.getOperand(), e);
  if (before->size() + own->size() > all.size())
    return failure();
  return bind(op, ArrayRef<Value>(all).slice(before->size(), own->size()), e);
}

template <typename Op> LogicalResult token(Op op, Translator &e) {
  return bind(op->getResult(0), {}, e);
}

/// The function that says what the operation means.
LogicalResult composite(stablehlo::CompositeOp op, Translator &e) {
  func::FuncOp callee = e.lookup(op.getDecomposition());
  if (!callee || callee.isExternal())
    return e.unsupported(op, "has no decomposition '" + op.getDecomposition() +
                                 "' in the module");
  OpBuilder b(op);
  auto call = func::CallOp::create(b, op.getLoc(), callee, op.getInputs());
  if (call->getResultTypes() != op.getResultTypes())
    return e.unsupported(op, "has other results than its decomposition");
  if (failed(e.emit(call)))
    return failure();
  e.share(call.getResults(), op.getResults());
  return success();
}

/// Calls that only say something about their operand hand it on. Checks of
/// tests are for whoever runs them: their operands are results.
LogicalResult customCall(stablehlo::CustomCallOp op, Translator &e) {
  StringRef name = op.getCallTargetName();
  constexpr StringRef annotations[] = {"Sharding",
                                       "SPMDFullToShardShape",
                                       "SPMDShardToFullShape",
                                       "annotate_device_placement",
                                       "LayoutConstraint",
                                       "xla.sdy.FuncResultSharding",
                                       "tpu_custom_annotation"};
  if (llvm::is_contained(annotations, name) &&
      op.getInputs().getTypes() == op.getResultTypes()) {
    e.share(op.getInputs(), op.getResults());
    return success();
  }
  if (name == "shape_assertion")
    return checkSizes(op, e);
  if (name == "ApproxTopK")
    return approximateTopK(op, e);
  if (name == "stablehlo.dynamic_reduce_window")
    return dynamicReduceWindow(op, e);
  if (name.starts_with("kiln."))
    return hostCall(op, e);
  return e.unsupported(op, "of '" + name + "'");
}

} // namespace

void addControlFlowRules(Rules &rules) {
  using namespace stablehlo;
  rules.add<stablehlo::WhileOp>(whileLoop);
  rules.add<stablehlo::IfOp>(ifOp);
  rules.add<CaseOp>(caseOp);
  rules.add<OptimizationBarrierOp>(barrier);
  rules.add<TupleOp>(tuple);
  rules.add<GetTupleElementOp>(getTupleElement);
  rules.add<CreateTokenOp>(token<CreateTokenOp>);
  rules.add<AfterAllOp>(token<AfterAllOp>);
  rules.add<CompositeOp>(composite);
  rules.add<CustomCallOp>(customCall);
  addCollectiveRules(rules);
}

} // namespace kiln::stablehlo_to_prim

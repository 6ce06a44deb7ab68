//===- Claim.cpp - Claims at prim level -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Claim.h"
#include "kiln/Target/Passes.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

/// Whether `op` uses, in its regions or directly, a value of `values`.
static bool usesAny(Operation *op, const llvm::SetVector<Value> &values) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (values.contains(operand))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<Operation *> kiln::target::claimOps(ArrayRef<Operation *> ops,
                                              StringRef name, StringRef target,
                                              LoweringContext &ctx) {
  if (ops.empty())
    return failure();
  llvm::SetVector<Operation *> group(ops.begin(), ops.end());
  SmallVector<Operation *> sorted(group.begin(), group.end());
  Block *block = sorted.front()->getBlock();
  for (Operation *op : sorted)
    if (op->getBlock() != block)
      return ctx.decline(ops.front(), "the claimed operations are not in one "
                                      "block");
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });

  // What stands between and depends on the group moves behind it; the group
  // must not depend on that in turn.
  llvm::SetVector<Value> made;
  SmallVector<Operation *> behind;
  Operation *last = sorted.back();
  for (Operation *op = sorted.front(); op != last->getNextNode();
       op = op->getNextNode()) {
    if (group.contains(op)) {
      for (Operation *moved : behind)
        for (Value result : moved->getResults()) {
          llvm::SetVector<Value> one;
          one.insert(result);
          if (usesAny(op, one))
            return ctx.decline(op, "the claimed operations are not convex");
        }
      made.insert(op->result_begin(), op->result_end());
      continue;
    }
    if (!usesAny(op, made))
      continue;
    behind.push_back(op);
    made.insert(op->result_begin(), op->result_end());
  }
  llvm::SetVector<Value> inputs, outputs;
  for (Operation *op : sorted) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (def && group.contains(block->findAncestorOpInBlock(*def)))
          continue;
        if (auto arg = dyn_cast<BlockArgument>(operand);
            arg && op->isAncestor(arg.getOwner()->getParentOp()))
          continue;
        inputs.insert(operand);
      }
    });
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers())
        if (!group.contains(block->findAncestorOpInBlock(*user)))
          outputs.insert(result);
  }

  RewriterBase &rewriter = ctx.rewriter;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(last);
  Location loc = last->getLoc();
  OperationState state(loc, "prim.claim");
  state.addOperands(inputs.getArrayRef());
  for (Value output : outputs)
    state.addTypes(output.getType());
  state.addAttribute("target", rewriter.getStringAttr(target));
  state.addAttribute("name", rewriter.getStringAttr(name));
  Region *body = state.addRegion();
  Block *inner = new Block;
  body->push_back(inner);
  IRMapping map;
  for (Value input : inputs)
    map.map(input, inner->addArgument(input.getType(), input.getLoc()));
  Operation *claim = rewriter.create(state);
  rewriter.setInsertionPointToEnd(inner);
  for (Operation *op : sorted)
    rewriter.clone(*op, map);
  OperationState yield(loc, "prim.yield");
  for (Value output : outputs)
    yield.addOperands(map.lookup(output));
  rewriter.create(yield);
  for (auto [output, result] : llvm::zip(outputs, claim->getResults()))
    rewriter.replaceAllUsesWith(output, result);
  Operation *after = claim;
  for (Operation *op : behind) {
    rewriter.moveOpAfter(op, after);
    after = op;
  }
  for (Operation *op : llvm::reverse(sorted))
    rewriter.eraseOp(op);
  return claim;
}

namespace {
/// Lets the claims registered for the module's target take what they want.
struct PrimClaimPass
    : public PassWrapper<PrimClaimPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrimClaimPass)
  StringRef getName() const final { return "PrimClaim"; }
  StringRef getArgument() const final { return "prim-claim"; }
  StringRef getDescription() const final {
    return "Lets the module's target claim prim operations whole";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<KilnDialect>();
  }

  void runOnOperation() override {
    BoundTarget bound = TargetRegistry::get().boundTarget(getOperation());
    if (!bound)
      return;
    IRRewriter rewriter(&getContext());
    LoweringContext ctx(rewriter, bound.options, bound.description);
    for (const PrimClaim *claim :
         LoweringRegistry::get().claims(bound.options.name)) {
      if (isLeftOut(claim->name, bound.options))
        continue;
      for (auto func :
           llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
        if (func.isExternal())
          continue;
        llvm::DenseSet<Operation *> old;
        func.walk([&](Operation *op) {
          if (isClaim(op))
            old.insert(op);
        });
        if (failed(LoweringRegistry::get().claim(func, *claim, ctx))) {
          Report::of(&getContext()).takeBroken(func);
          return signalPassFailure();
        }
        func.walk([&](Operation *op) {
          if (isClaim(op) && !old.contains(op))
            Report::of(&getContext())
                .chose(op, "claim", bound.options.name, claim->name);
        });
      }
    }
  }
};
} // namespace

void kiln::target::inlineClaim(Operation *claim, RewriterBase &rewriter) {
  Block &body = claim->getRegion(0).front();
  Operation *yield = body.getTerminator();
  SmallVector<Value> results(yield->getOperands());
  rewriter.eraseOp(yield);
  for (auto [index, result] : llvm::enumerate(results))
    if (auto argument = dyn_cast<BlockArgument>(result);
        argument && argument.getOwner() == &body)
      results[index] = claim->getOperand(argument.getArgNumber());
  rewriter.inlineBlockBefore(&body, claim, claim->getOperands());
  rewriter.replaceOp(claim, results);
}

namespace {
/// Undoes the claims that no schedule of the module's target will take.
struct InlineClaimsPass
    : public PassWrapper<InlineClaimsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineClaimsPass)
  StringRef getName() const final { return "InlineClaims"; }
  StringRef getArgument() const final { return "prim-inline-claims"; }
  StringRef getDescription() const final {
    return "Inlines claims that the module's target has no schedule for";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<KilnDialect>();
  }

  void runOnOperation() override {
    BoundTarget bound = TargetRegistry::get().boundTarget(getOperation());
    StringRef family =
        bound.description ? bound.description.getFamily() : StringRef();
    auto schedules = LoweringRegistry::get().schedules("");
    SmallVector<Operation *> claims;
    getOperation()->walk([&](Operation *op) {
      if (isClaim(op))
        claims.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *claim : claims) {
      std::string name = claimName(claim).str();
      bool taken = llvm::any_of(schedules, [&](const Schedule *schedule) {
        return takesKind(*schedule, "claim." + name) &&
               (schedule->target.empty() ||
                schedule->target == bound.options.name ||
                (!family.empty() && schedule->target == family));
      });
      if (taken)
        continue;
      Report &report = Report::of(&getContext());
      report.declined(claim, bound ? bound.options.name : "core",
                      "there is no schedule for claim." + name);
      report.chose(claim, "claim", bound.options.name, "inlined");
      rewriter.setInsertionPoint(claim);
      inlineClaim(claim, rewriter);
    }
  }
};
} // namespace

std::unique_ptr<Pass> kiln::target::createInlineClaimsPass() {
  return std::make_unique<InlineClaimsPass>();
}

std::unique_ptr<Pass> kiln::target::createPrimClaimPass() {
  return std::make_unique<PrimClaimPass>();
}

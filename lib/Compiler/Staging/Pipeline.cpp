//===- Pipeline.cpp - Schedules of loops with rings, and their expansion --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PeelLast.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Staging/LoopValues.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGESCHEDULE
#define GEN_PASS_DEF_STAGEPIPELINE
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;

namespace {

//===----------------------------------------------------------------------===//
// stage-schedule
//===----------------------------------------------------------------------===//

struct StageSchedulePass : staging::impl::StageScheduleBase<StageSchedulePass> {
  using StageScheduleBase::StageScheduleBase;

  void runOnOperation() override {
    getOperation().walk([&](scf::ForOp loop) {
      if (failed(schedule(loop)))
        signalPassFailure();
    });
  }

private:
  LogicalResult schedule(scf::ForOp loop) {
    Block *body = loop.getBody();
    int64_t shallowest = INT64_MAX;
    // Whatever is asked to be early, and the rings that it consumes.
    SetVector<Operation *> sooner, ahead;
    SmallPtrSet<Value, 4> consumed;
    const Orders orders = takeOrders(*body);
    for (Operation &op : body->without_terminator())
      if (auto at = op.getAttrOfType<stage::AtAttr>(stage::kAtAttr)) {
        op.removeAttr(stage::kAtAttr);
        if (at.getStep() == stage::kBeforeUsers)
          ahead.insert(&op);
        else if (at.getStep() < 0)
          addWithOperands(&op, loop, sooner);
      }
    for (Operation *op : sooner)
      if (Value ring = stage::ringTakenBy(op))
        consumed.insert(ring);
    for (Operation &op : *body)
      if (Value ring = stage::ringFreedBy(&op); ring && consumed.contains(ring))
        sooner.insert(&op);
    SetVector<Operation *> first, second;
    for (bool isSooner : {true, false})
      for (auto produce : body->getOps<stage::SlotOpInterface>()) {
        if (produce.getSlotUse() != stage::SlotUse::Fill)
          continue;
        shallowest =
            std::min(shallowest, produce.getRing().getType().getDepth());
        if (consumed.contains(produce.getRing()) == isSooner)
          addWithOperands(produce, loop, isSooner ? first : second);
      }
    if (consumed.empty())
      first.swap(second);
    if (first.empty() && ahead.empty())
      return success();
    // Loads alone go one iteration ahead.
    if (first.empty())
      shallowest = 2;
    int64_t later = this->ahead < 0 ? shallowest - 1 : this->ahead.getValue();
    if (auto own = loop->getAttrOfType<stage::SlotsAttr>(stage::kDecidedAttr))
      later = own.getAhead().value_or(later);
    if (first.empty())
      later = 1;
    // One slot more than iterations ahead, or the first would never be free.
    if (later >= shallowest)
      return loop.emitError("expected a ring of at least ")
             << later + 1 << " slots to be filled " << later
             << " iterations ahead, found " << shallowest;
    // What is filled early must not depend on what runs late.
    for (Operation *op : llvm::concat<Operation *const>(first, second))
      if (!stage::ringFilledBy(op) && !isMemoryEffectFree(op))
        return loop.emitError("unsupported: the filling of a ring depends on "
                              "'")
               << op->getName() << "', which has effects";
    int64_t order = 0, last = later + !consumed.empty();
    SmallVector<Operation *> sorted;
    for (Operation &op : body->without_terminator())
      sorted.push_back(&op);
    auto give = [&](Operation *op, int64_t step) {
      if (!op->hasAttr(stage::kAtAttr))
        op->setAttr(stage::kAtAttr,
                    stage::AtAttr::get(&getContext(), step, order++));
    };
    for (Operation *op : sorted)
      if (first.contains(op))
        give(op, 0);
    for (Operation *op : sorted)
      if (second.contains(op))
        give(op, last - later);
    auto stepOf = [&](Operation *op) {
      return sooner.contains(op) ? later : last;
    };
    ahead.remove_if(
        [&](Operation *op) { return !canRunAhead(op, loop, stepOf(op) - 1); });
    for (Operation *op : firstUsers(ahead, loop))
      give(op, stepOf(op));
    for (Operation *op : sorted)
      if (ahead.contains(op))
        giveAhead(op, loop, stepOf(op) - 1, give);
    // The others in the order that was asked for.
    llvm::sort(sorted, [&](Operation *a, Operation *b) {
      std::pair<int64_t, bool> placeA(orders.lookup(a), !sooner.contains(a)),
          placeB(orders.lookup(b), !sooner.contains(b));
      return placeA != placeB ? placeA < placeB : a->isBeforeInBlock(b);
    });
    for (Operation *op : sorted)
      give(op, stepOf(op));
    return success();
  }

  /// Whether a load can run at a step before that of its users: a load that
  /// needs what has effects stays where it is.
  static bool canRunAhead(Operation *load, scf::ForOp loop, int64_t step) {
    SetVector<Operation *> needed;
    addWithOperands(load, loop, needed);
    return step >= 0 && llvm::all_of(needed, [&](Operation *op) {
             return op == load || isMemoryEffectFree(op);
           });
  }

  /// Gives a load, and what it needs, a step before that of its users.
  static void giveAhead(Operation *load, scf::ForOp loop, int64_t step,
                        function_ref<void(Operation *, int64_t)> give) {
    SetVector<Operation *> needed;
    addWithOperands(load, loop, needed);
    for (Operation &op : loop.getBody()->without_terminator())
      if (needed.contains(&op))
        give(&op, step);
  }

  /// What an iteration computes of these loads alone, in its order. It comes
  /// before the loads for the next iteration: behind them, machines that count
  /// loads rather than name them would wait for those, too.
  static SmallVector<Operation *>
  firstUsers(const SetVector<Operation *> &loads, scf::ForOp loop) {
    SmallVector<Operation *> users;
    llvm::SmallPtrSet<Operation *, 8> known(loads.begin(), loads.end());
    // Constants of the body have no early place.
    auto isKnown = [&](Value operand) {
      return loop.isDefinedOutsideOfLoop(operand) ||
             known.contains(operand.getDefiningOp());
    };
    for (Operation &op : loop.getBody()->without_terminator()) {
      bool uses = llvm::any_of(op.getOperands(), [&](Value operand) {
        return known.contains(operand.getDefiningOp());
      });
      if (!uses || known.contains(&op) || op.getNumRegions() ||
          !isMemoryEffectFree(&op) || !llvm::all_of(op.getOperands(), isKnown))
        continue;
      known.insert(&op);
      users.push_back(&op);
    }
    return users;
  }

  using Orders = llvm::DenseMap<Operation *, int64_t>;

  /// The places among the operations of the body that attributes ask for. What
  /// none asks for goes where its first user goes; without users, and releases,
  /// to the end.
  static Orders takeOrders(Block &body) {
    Orders orders;
    for (Operation &op : llvm::reverse(body)) {
      int64_t &order = orders.try_emplace(&op, INT64_MAX).first->second;
      if (auto at = op.getAttrOfType<stage::AtAttr>(stage::kAtAttr))
        order = at.getOrder();
      else
        for (Operation *user : op.getUsers())
          if (Operation *whole = body.findAncestorOpInBlock(*user))
            order = std::min(order, orders.lookup(whole));
    }
    return orders;
  }

  /// An operation of the body, and what it needs of the same iteration and, by
  /// what the loop carries, of those before.
  static void addWithOperands(Operation *op, scf::ForOp loop,
                              SetVector<Operation *> &set) {
    if (!set.insert(op))
      return;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *def = staging::definitionIn(loop, operand))
          addWithOperands(def, loop, set);
    });
  }
};

//===----------------------------------------------------------------------===//
// stage-pipeline
//===----------------------------------------------------------------------===//

/// Whether all that an operation does to memory is to read slots of these
/// rings.
bool readsOnly(Operation *op, const SmallPtrSetImpl<Value> &rings) {
  WalkResult walked = op->walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner) ||
        inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isa<stage::BoxRegionOpInterface>(inner))
      return WalkResult::advance();
    auto read = dyn_cast<stage::StorageReadOpInterface>(inner);
    Value ring =
        read ? stage::ringTakenBy(read.getStorage().getDefiningOp()) : Value();
    return ring && rings.contains(ring) ? WalkResult::advance()
                                        : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

/// Whether an operation loads numbers from memory, and does nothing else.
bool onlyLoads(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && op->getNumResults() && !op->getNumRegions() &&
         effects.onlyHasEffect<MemoryEffects::Read>() &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           return getElementTypeOrSelf(type).isIntOrIndexOrFloat();
         });
}

/// A load that happens only where `predicate` holds, with zeros elsewhere.
Operation *guardLoad(RewriterBase &rewriter, Operation *op, Value predicate) {
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  auto guard = scf::IfOp::create(rewriter, loc, op->getResultTypes(), predicate,
                                 /*withElseRegion=*/true);
  rewriter.replaceAllOpUsesWith(op, guard.getResults());
  rewriter.setInsertionPointToEnd(guard.thenBlock());
  auto yield = scf::YieldOp::create(rewriter, loc, op->getResults());
  rewriter.moveOpBefore(op, yield);
  rewriter.setInsertionPointToEnd(guard.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : op->getResultTypes())
    zeros.push_back(arith::ConstantOp::create(
        rewriter, loc, cast<TypedAttr>(rewriter.getZeroAttr(type))));
  scf::YieldOp::create(rewriter, loc, zeros);
  return guard;
}

/// Lets an operation happen only where `predicate` holds; null where its
/// results would be missed. Slots of the rings in `always` are consumed for
/// iterations that the loop does not have, too, and filled unless `isPeeled`.
Operation *predicate(RewriterBase &rewriter, Operation *op, Value predicate,
                     const SmallPtrSetImpl<Value> &always, bool isPeeled) {
  if (isMemoryEffectFree(op))
    return op;
  if (Value ring = stage::ringUsedBy(op);
      ring && always.contains(ring) && !(isPeeled && stage::ringFilledBy(op)))
    return op;
  if (readsOnly(op, always))
    return op; // what it reads there is not used
  if (onlyLoads(op))
    return guardLoad(rewriter, op, predicate);
  if (op->getNumResults())
    return nullptr;
  rewriter.setInsertionPoint(op);
  auto guard = scf::IfOp::create(rewriter, op->getLoc(), predicate,
                                 /*withElseRegion=*/false);
  rewriter.moveOpBefore(op, guard.thenBlock()->getTerminator());
  return guard;
}

/// Whether an operation computes numbers or addresses that are cheap to compute
/// twice.
bool isCheapScalar(Operation *op) {
  return op->getNumResults() && !op->getNumRegions() &&
         isMemoryEffectFree(op) &&
         !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
             op) &&
         isa_and_nonnull<arith::ArithDialect, tile::TileDialect>(
             op->getDialect()) &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           return type.isIntOrIndex() ||
                  isa<tile::ViewType, tile::PtrType>(type);
         });
}

/// Computes such numbers and addresses once for each step that uses them. A
/// number that one step hands on to another would go through a value that the
/// loop carries, of which less is known: what it is a multiple of, which
/// parameter an address belongs to.
void repeatScalars(scf::ForOp loop) {
  Block &body = *loop.getBody();
  auto placeOf = [](Operation *op) {
    return op->getAttrOfType<stage::AtAttr>(stage::kAtAttr);
  };
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(body.without_terminator()))) {
    if (!isCheapScalar(&op))
      continue;
    const int64_t own = placeOf(&op).getStep();
    std::map<int64_t, SmallVector<OpOperand *>> later;
    for (OpOperand &use : op.getUses()) {
      Operation *user = body.findAncestorOpInBlock(*use.getOwner());
      if (user && !user->hasTrait<OpTrait::IsTerminator>() &&
          placeOf(user).getStep() > own)
        later[placeOf(user).getStep()].push_back(&use);
    }
    OpBuilder b(&op);
    b.setInsertionPointAfter(&op);
    for (auto &[step, uses] : later) {
      int64_t order = INT64_MAX;
      Operation *copy = b.clone(op);
      for (OpOperand *use : uses) {
        Operation *user = body.findAncestorOpInBlock(*use->getOwner());
        order = std::min(order, placeOf(user).getOrder());
        use->set(copy->getResult(cast<OpResult>(use->get()).getResultNumber()));
      }
      copy->setAttr(stage::kAtAttr,
                    stage::AtAttr::get(loop.getContext(), step, order));
    }
  }
}

struct StagePipelinePass : staging::impl::StagePipelineBase<StagePipelinePass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      auto body = loop.getBody()->without_terminator();
      if (!body.empty() && llvm::all_of(body, [](Operation &op) {
            return op.hasAttrOfType<stage::AtAttr>(stage::kAtAttr);
          }))
        loops.push_back(loop);
    });
    // Inner loops come first: what one becomes in the loop around it has its
    // place in that loop's schedule.
    for (scf::ForOp loop : loops) {
      Block *around = loop->getBlock();
      auto place = loop->getAttrOfType<stage::AtAttr>(stage::kAtAttr);
      if (failed(expand(loop)))
        return signalPassFailure();
      if (place)
        for (Operation &op : around->without_terminator())
          if (!op.hasAttr(stage::kAtAttr))
            op.setAttr(stage::kAtAttr, place);
    }
  }

private:
  /// The operations of a loop with their order, and their last step.
  static LogicalResult
  readSteps(scf::ForOp loop,
            SmallVectorImpl<std::pair<int64_t, Operation *>> &ordered,
            int64_t &last) {
    for (Operation &op : loop.getBody()->without_terminator()) {
      auto at = op.getAttrOfType<stage::AtAttr>(stage::kAtAttr);
      if (at.getStep() < 0)
        return op.emitError("expected a step of at least 0, found ")
               << at.getStep();
      ordered.push_back({at.getOrder(), &op});
      last = std::max(last, at.getStep());
    }
    return success();
  }

  LogicalResult expand(scf::ForOp loop) {
    repeatScalars(loop);
    std::vector<std::pair<Operation *, unsigned>> schedule;
    SmallVector<std::pair<int64_t, Operation *>> ordered;
    int64_t last = 0;
    if (failed(readSteps(loop, ordered, last)))
      return failure();
    SmallPtrSet<Value, 4> always;
    // The loop ends one iteration early: an operation that takes a slot more
    // iterations ahead of the last step would still wait for one in vain.
    bool takesOneAhead = true;
    // Slots when the loop ends: filled and not taken, taken and not released.
    llvm::MapVector<Value, int64_t> unused, held;
    for (auto [order, op] : ordered) {
      auto at = op->getAttrOfType<stage::AtAttr>(stage::kAtAttr);
      if (Value ring = stage::ringFilledBy(op))
        unused[ring] -= at.getStep();
      if (Value ring = stage::ringFreedBy(op))
        held[ring] += at.getStep();
      if (Value ring = stage::ringTakenBy(op))
        held[ring] -= at.getStep();
      if (Value ring = stage::ringTakenBy(op); ring && at.getStep() != last) {
        always.insert(ring);
        unused[ring] += at.getStep();
        takesOneAhead &= at.getStep() == last - 1;
      }
      if (at.getStep() != last && op->getNumResults() &&
          !isMemoryEffectFree(op) && !readsOnly(op, always) && !onlyLoads(op) &&
          !stage::ringTakenBy(op))
        return op->emitError("unsupported: an operation that has side effects "
                             "and results in step ")
               << at.getStep() << " of the schedule; put it in the last step, "
               << last;
    }
    // Equal orders stay in the order of the program.
    std::map<std::pair<int64_t, size_t>, Operation *> sorted;
    for (auto [place, entry] : llvm::enumerate(ordered))
      sorted[{entry.first, place}] = entry.second;
    ordered.clear();
    for (auto [key, op] : sorted)
      ordered.push_back({key.first, op});
    for (auto [order, op] : ordered) {
      auto at = op->getAttrOfType<stage::AtAttr>(stage::kAtAttr);
      schedule.push_back({op, static_cast<unsigned>(at.getStep())});
    }
    // No ring is consumed for an iteration that there is not.
    const bool isPeeled =
        !always.empty() && takesOneAhead && staging::hasIterations(loop);
    for (auto [order, op] : ordered) {
      auto at = op->getAttrOfType<stage::AtAttr>(stage::kAtAttr);
      if (isPeeled && at.getStep() == last)
        op->setAttr(staging::kOfLastStep, UnitAttr::get(&getContext()));
      op->removeAttr(stage::kAtAttr);
    }
    if (last == 0)
      return reorder(loop, ordered);
    scf::PipeliningOption options;
    options.getScheduleFn =
        [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &result) {
          result = schedule;
        };
    options.peelEpilogue = false;
    options.supportDynamicLoops = true;
    options.predicateFn = [&](RewriterBase &rewriter, Operation *op,
                              Value holds) {
      return predicate(rewriter, op, holds, always, isPeeled);
    };
    llvm::SmallPtrSet<Operation *, 32> given;
    options.annotateFn = [&](Operation *op,
                             scf::PipeliningOption::PipelinerPart,
                             unsigned) { given.insert(op); };
    IRRewriter rewriter(&getContext());
    rewriter.setInsertionPoint(loop);
    Location loc = loop.getLoc();
    FailureOr<scf::ForOp> made = scf::pipelineForLoop(rewriter, loop, options);
    if (failed(made))
      return emitError(loc, "the loop cannot be rewritten by its schedule: an "
                            "operation runs before what it depends on");
    staging::markNumbers(*made, given);
    if (isPeeled)
      staging::peelLast(*made);
    if (!always.empty())
      staging::foldChoices(*(*made)->getBlock());
    if (isPeeled)
      return success();
    rewriter.setInsertionPointAfter(*made);
    for (auto [ring, count] : held)
      for (; always.contains(ring) && count > 0; --count)
        stage::ReleaseOp::create(rewriter, loc, ring);
    for (auto [ring, count] : unused)
      for (; always.contains(ring) && count > 0; --count) {
        stage::ConsumeOp::create(rewriter, loc, ring);
        stage::ReleaseOp::create(rewriter, loc, ring);
      }
    return success();
  }

  /// With one step only the order changes.
  LogicalResult reorder(scf::ForOp loop,
                        ArrayRef<std::pair<int64_t, Operation *>> ordered) {
    for (auto [order, op] : ordered)
      op->moveBefore(loop.getBody()->getTerminator());
    return success();
  }
};

} // namespace

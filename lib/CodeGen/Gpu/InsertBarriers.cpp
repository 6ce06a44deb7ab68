//===- InsertBarriers.cpp - Barriers, waits and fences as operations ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierFlow.h"
#include "MemoryProducts.h"
#include "Order.h"
#include "RegisterCandidates.h"
#include "SlotBarriers.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"
#include "kiln/Gpu/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTINSERTBARRIERS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

static bool fillsInBulk(Operation *op) {
  return op
      ->walk([](stage::StorageCopyOpInterface copy) {
        return copy.usesCopyUnit() ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a product may read by itself what a copy writes: storage other than
/// what threads write, every part of it.
static bool readsCopies(tile::KernelOp kernel, target::TargetAttr description) {
  auto isCopied = [](Value factor) {
    if (!isa<MemRefType>(factor.getType()))
      return false;
    auto alloc = factor.getDefiningOp<stage::StorageOpInterface>();
    return !alloc ||
           !llvm::all_of(alloc->getUsers(),
                         llvm::IsaPred<stage::StorageReadOpInterface,
                                       stage::StorageWriteOpInterface,
                                       stage::StorageProductOpInterface>);
  };
  return kernel
      .walk([&](stage::StorageProductOpInterface product) {
        bool reads = isMemoryProduct(product, description) &&
                     (isCopied(product.getLhs()) || isCopied(product.getRhs()));
        return reads ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Writes a plan into the kernel.
class BarrierWriter {
public:
  BarrierWriter(tile::KernelOp kernel, const BarrierPlan &plan,
                target::TargetAttr description, bool namesMemories)
      : kernel(kernel), plan(plan), b(kernel.getContext()),
        hasAsyncProducts(hasMemoryProducts(kernel, description)),
        publishesCopies(hasAsyncProducts && readsCopies(kernel, description)),
        namesMemories(namesMemories) {}

  void run() {
    // Products are done before a barrier at the same place.
    for (auto &[product, wait] : plan.products)
      if (!findCovering(product, wait))
        waitForProduct(product, wait);
    for (Operation *wait : replaced)
      wait->erase();
    SmallVector<Operation *> all;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
    for (Operation *op : all) {
      before(op);
      behind(op);
    }
    for (auto &[op, places] : plan.scratch)
      setDecided(op, kScratchEntry, b.getDenseI64ArrayAttr(places));
    kernel.setSharedBytesAttr(b.getI64IntegerAttr(plan.sharedBytes));
    markFirstThread();
  }

private:
  /// States what the first thread runs alone, where the plan has no barriers.
  void markFirstThread() {
    if (hasOnlyScalars(kernel))
      return setDecided(kernel, kFirstThreadEntry, b.getUnitAttr());
    kernel.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!runsInFirstThread(loop))
        return WalkResult::advance();
      setDecided(loop, kFirstThreadEntry, b.getUnitAttr());
      return WalkResult::skip();
    });
  }

  void before(Operation *op) {
    auto found = plan.before.find(op);
    if (found == plan.before.end())
      return;
    b.setInsertionPoint(op);
    const Waits &waits = found->second;
    // A copy unit writes behind what threads wrote before.
    if ((waits.publishes && hasAsyncProducts && !waits.copiesBut) ||
        (waits.block && fillsInBulk(op)))
      PublishOp::create(b, op->getLoc());
    if (waits.copiesBut && isUnused(op))
      WaitCopiesOp::create(b, op->getLoc(), *waits.copiesBut);
    else if (waits.copiesBut)
      waitForCopies(op->getLoc(), waits, *waits.copiesBut);
    else if (waits.block)
      barrier(op->getLoc(), waits.memories);
    else if (waits.warp)
      WarpBarrierOp::create(b, op->getLoc());
  }

  void behind(Operation *op) {
    b.setInsertionPointAfter(op);
    for (size_t i = groupsEndingAt(op).size(); i; --i)
      CommitCopiesOp::create(b, op->getLoc());
    if (!fillsAtOnce(op))
      return;
    CommitCopiesOp::create(b, op->getLoc());
    waitForCopies(op->getLoc(), plan.before.lookup(op), 0);
  }

  /// Others see what the thread's copies wrote behind the barrier, and so do
  /// products that read by themselves.
  void waitForCopies(Location loc, const Waits &waits, int64_t but) {
    WaitCopiesOp::create(b, loc, but);
    if ((hasAsyncProducts && waits.publishes) || publishesCopies)
      PublishOp::create(b, loc);
    barrier(loc, waits.memories);
  }

  void barrier(Location loc, Memories memories) {
    if (namesMemories)
      BarrierOp::create(b, loc, memories);
    else
      gpu::BarrierOp::create(b, loc);
  }

  /// The wait for all products that stands between a product and its own wait;
  /// null if none does.
  Operation *findCovering(Operation *product, const ProductWait &wait) {
    auto [known, isNew] = covered.try_emplace(product);
    if (!isNew)
      return known->second;
    // One that is itself covered is not there.
    for (auto &[other, covering] : plan.products)
      if (other != product && !wait.loopResult && covering.but == 0 &&
          covering.before->getBlock() == product->getBlock() &&
          product->isBeforeInBlock(covering.before) &&
          covering.before->isBeforeInBlock(wait.before) &&
          !findCovering(other, covering))
        return covered[product] = other;
    return nullptr;
  }

  /// The wait of a product, and of those that it covers, for the waits right
  /// behind them.
  void waitForProduct(Operation *product, const ProductWait &wait) {
    SmallVector<Operation *> products = {product};
    for (auto &[other, own] : plan.products)
      if (other != product && findCovering(other, own) == product)
        products.push_back(other);
    SmallVector<Value> futures, sums;
    for (Operation *one : products) {
      futures.push_back(one->getResult(0));
      sums.push_back(sumOf(one));
    }
    if (wait.loopResult)
      return carry(product, wait, futures, sums);
    b.setInsertionPoint(wait.before);
    waitForSums(futures, sums, wait.but, wait.held, wait.holder);
  }

  /// The wait of a product whose future the loop carries. `futures` and `sums`
  /// are its own, and those of what the wait covers.
  void carry(Operation *product, const ProductWait &wait,
             SmallVector<Value> futures, SmallVector<Value> sums) {
    auto result = cast<OpResult>(wait.loopResult);
    auto loop = cast<scf::ForOp>(result.getOwner());
    OpOperand &init = loop.getInitsMutable()[result.getResultNumber()],
              &yielded = *sums[0].use_begin();
    BlockArgument carried = loop.getTiedLoopRegionIterArg(&init);
    Value future = futures[0];
    replaced.push_back(sums[0].getDefiningOp());
    carried.setType(future.getType());
    result.setType(future.getType());
    b.setInsertionPoint(wait.before);
    if (wait.sum == sums[0]) {
      // The product adds to what is carried: the wait is for that, and keeps
      // the new sum.
      auto made = waitFor(product->getLoc(), carried, future, wait.but);
      yielded.set(made.getResults().back());
    } else {
      yielded.set(future);
      futures[0] = sums[0] = carried;
      waitForSums(futures, sums, wait.but, wait.held, wait.holder);
    }
    b.setInsertionPoint(loop);
    init.set(
        FutureOp::create(b, product->getLoc(), future.getType(), init.get()));
    b.setInsertionPointAfterValue(result);
    auto last = waitFor(result.getLoc(), result, {}, /*but=*/0);
    result.replaceAllUsesExcept(last.getResult(0), last);
  }

  stage::WaitOp waitFor(Location loc, ValueRange futures, ValueRange kept,
                        int64_t but) {
    return stage::WaitOp::create(b, loc, futures, kept,
                                 b.getI64IntegerAttr(but));
  }

  /// Waits for futures, whose sums were known from elsewhere. `holder` computes
  /// with what the wait hands on of `held`.
  void waitForSums(ValueRange futures, ValueRange sums, int64_t but,
                   ArrayRef<Value> held, Operation *holder) {
    // A sum that this wait is for comes out of it anyway, and one whose wait
    // stands behind this one is computed with there. Of a sum that was waited
    // for before, the registers stay.
    auto isBehind = [&](Value value) {
      Operation *before = value.getDefiningOp();
      return before->getBlock() != b.getInsertionBlock() ||
             !before->isBeforeInBlock(&*b.getInsertionPoint());
    };
    SmallVector<Value> own, kept;
    for (Value value : held) {
      Value known = awaited.lookup(value);
      if (llvm::is_contained(sums, value) || (known && isBehind(known)))
        continue;
      own.push_back(value);
      kept.push_back(known ? known : value);
    }
    stage::WaitOp wait = waitFor(futures[0].getLoc(), futures, kept, but);
    for (auto [sum, result] : llvm::zip(sums, wait.getResults())) {
      sum.replaceAllUsesExcept(result, wait);
      awaited[sum] = result;
      if (Operation *before = sum.getDefiningOp())
        replaced.push_back(before);
    }
    for (auto [value, result] :
         llvm::zip(own, wait.getResults().drop_front(sums.size())))
      if (!awaited.contains(value))
        holder->replaceUsesOfWith(value, result);
  }

  tile::KernelOp kernel;
  const BarrierPlan &plan;
  OpBuilder b;
  bool hasAsyncProducts, publishesCopies, namesMemories;
  /// Waits right behind products that others stand for.
  SmallVector<Operation *> replaced;
  llvm::DenseMap<Value, Value> awaited; ///< what these gave, from the others
  /// What findCovering has found.
  llvm::DenseMap<Operation *, Operation *> covered;
};

struct InsertBarriers : simt::impl::SimtInsertBarriersBase<InsertBarriers> {
  using SimtInsertBarriersBase::SimtInsertBarriersBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel.getSharedBytesAttr()) {
      kernel.emitOpError("has barriers already");
      return signalPassFailure();
    }
    target::TargetAttr description = target::getDescription(kernel);
    int64_t lanes = lanesOf(description, this->lanes);
    if (failed(verifyMachine(kernel, description, lanes)))
      return signalPassFailure();
    BlockShape block(kernel, lanes, warpsOf(kernel), description);
    if (failed(askPlugIns(kernel, block)) || failed(verifyStaged(block)))
      return signalPassFailure();
    BarrierPlan plan = BarrierFlow(kernel, block).run();
    target::MemoryAttr shared =
        description ? description.getMemory(sharedSpaceOf(description))
                    : target::MemoryAttr();
    if (shared && shared.getSize() && plan.sharedBytes > shared.getSize()) {
      // Without copies in flight it may fit.
      auto hasRing = kernel.walk(
          [](stage::RingOpInterface) { return WalkResult::interrupt(); });
      if (hasRing.wasInterrupted())
        target::Report::of(&getContext()).refusedAsync(kernel);
      kernel.emitError("unsupported: kernel '")
          << kernel.getSymName() << "' needs " << plan.sharedBytes
          << " bytes of shared memory, an instance on " << description.getChip()
          << " has " << shared.getSize();
      return signalPassFailure();
    }
    BarrierWriter(kernel, plan, description, namesMemories(description)).run();
    if (failed(placeSlotBarriers(kernel, description, block.warps,
                                 plan.sharedBytes)))
      return signalPassFailure();
    kernel.setSharedBytesAttr(
        Builder(kernel).getI64IntegerAttr(plan.sharedBytes));
  }

private:
  /// Of products only those are left that lowerings of plug-ins take, and one
  /// that reads memory is waited for right behind.
  LogicalResult verifyStaged(const BlockShape &block) {
    WalkResult staged =
        getOperation().walk([&](stage::StorageProductOpInterface product) {
          if (!isMemoryProduct(product,
                               target::getDescription(getOperation())) ||
              (product.getAsync() && product->hasOneUse() &&
               isa<stage::AsyncWaitOpInterface>(*product->user_begin())))
            return WalkResult::advance();
          product->emitOpError(
              "expected a product that reads memory to be 'async', "
              "with a 'stage.wait' as its only user");
          return WalkResult::interrupt();
        });
    if (staged.wasInterrupted())
      return failure();
    WalkResult walked = getOperation().walk([&](Operation *op) {
      auto product = dyn_cast<MatrixProductOpInterface>(op);
      if (!product)
        return WalkResult::advance();
      const RegisterCandidate *lowering = findLowering(op, block);
      if (lowering && (!lowering->isOwn || tile::hasFormats(product)))
        return WalkResult::advance();
      op->emitOpError("expected 'stage.product' at this level; run "
                      "simt-stage-products before");
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }
};
} // namespace

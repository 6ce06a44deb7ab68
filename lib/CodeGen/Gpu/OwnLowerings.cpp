//===- OwnLowerings.cpp - The family's lowerings of tiles in registers ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OwnLowerings.h"
#include "LoweringTable.h"
#include "kiln/Dialect/Tile/ExternOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

void LoweringTable::addAny(StringRef op, Code code, Borrowed needs) {
  StringRef last = op.contains('.') ? op.rsplit('.').second : op;
  RegisterLowering lowering{
      ("gpu." + last).str(), GpuLoweringContext::kFamily.str(), op.str(),
      GpuLoweringContext::kOwnPriority,
      [code](Operation *op, RegisterLoweringContext &context) {
        return code(op, static_cast<ThreadWriter &>(context.code()));
      }};
  if (needs)
    lowering.needs = [needs](Operation *op, RegisterLoweringContext &context,
                             ScratchNeeds &result) {
      result = needs(op, static_cast<const BlockShape &>(context.block));
      return success();
    };
  addLowering(registry, std::move(lowering));
}

/// Lowers an operation that only states facts to no code.
template <typename OpT> static LogicalResult lowerNothing(OpT, ThreadWriter &) {
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers, waits and fences, which stand in the kernel already
//===----------------------------------------------------------------------===//

static LogicalResult lowerGpuBarrier(::mlir::gpu::BarrierOp, ThreadWriter &w) {
  w.barrier(Memories::All);
  return success();
}

static LogicalResult lowerBarrier(BarrierOp op, ThreadWriter &w) {
  w.barrier(op.getMemories());
  return success();
}

static LogicalResult lowerWarpBarrier(WarpBarrierOp, ThreadWriter &w) {
  w.warpBarrier();
  return success();
}

static LogicalResult lowerPublish(PublishOp, ThreadWriter &w) {
  PublishOp::create(w.b, w.loc);
  return success();
}

static LogicalResult lowerCommitCopies(CommitCopiesOp, ThreadWriter &w) {
  CommitCopiesOp::create(w.b, w.loc);
  return success();
}

static LogicalResult lowerWaitCopies(WaitCopiesOp op, ThreadWriter &w) {
  WaitCopiesOp::create(w.b, w.loc, op.getBut());
  return success();
}

static LogicalResult lowerCreateSplitBarrier(CreateSplitBarrierOp op,
                                             ThreadWriter &w) {
  CreateSplitBarrierOp::create(w.b, w.loc, op.getPlace());
  return success();
}

static LogicalResult lowerCreateBarriers(CreateBarriersOp op, ThreadWriter &w) {
  CreateBarriersOp::create(w.b, w.loc, op.getPlace(), op.getCount(),
                           op.getArrivals());
  return success();
}

static LogicalResult lowerArrive(ArriveOp op, ThreadWriter &w) {
  w.define(op.getPhase(),
           ArriveOp::create(w.b, w.loc, w.b.getI64Type(), op.getPlace()));
  return success();
}

static LogicalResult lowerAwait(AwaitOp op, ThreadWriter &w) {
  AwaitOp::create(w.b, w.loc, w.scalar(op.getPhase()), op.getPlace());
  return success();
}

static LogicalResult lowerFuture(FutureOp op, ThreadWriter &w) {
  w.define(op.getFuture(), Regs(w.registers(op.getSource())));
  return success();
}

/// Lowers a wait to simt.wait_products. An awaited accumulator whose result has
/// no uses is passed on by the future of a later MMA, which the wait keeps.
static LogicalResult lowerWait(stage::WaitOp op, ThreadWriter &w) {
  if (!op.getBut())
    return w.decline(
        op, "a wait without the number of MMAs that it leaves in flight (but)");
  SmallVector<Value> all(op.getAwaited()), values, results;
  for (Value kept : op.getKept())
    if (getLayout(kept))
      all.push_back(kept);
  for (auto [value, result] : llvm::zip_equal(all, op.getResults())) {
    if (llvm::is_contained(op.getAwaited(), value) && result.use_empty()) {
      w.define(result, Regs(w.registers(value)));
      continue;
    }
    values.push_back(value);
    results.push_back(result);
  }
  SmallVector<Value> flat = w.flatten(values);
  auto wait = WaitProductsOp::create(w.b, w.loc, ValueRange(flat).getTypes(),
                                     int64_t(*op.getBut()), flat);
  w.unflatten(results, wait.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Registers barriers, waits and fences, and operations without code on GPUs.
static void addWaitLowerings(LoweringTable &table) {
  table.add<tile::AssumeOp>(lowerNothing);
  table.add<::mlir::gpu::BarrierOp>(lowerGpuBarrier);
  table.add<BarrierOp>(lowerBarrier);
  table.add<WarpBarrierOp>(lowerWarpBarrier);
  table.add<PublishOp>(lowerPublish);
  table.add<CommitCopiesOp>(lowerCommitCopies);
  table.add<WaitCopiesOp>(lowerWaitCopies);
  table.add<FutureOp>(lowerFuture);
  table.add<stage::WaitOp>(lowerWait);
  table.add<CreateSplitBarrierOp>(lowerCreateSplitBarrier);
  table.add<CreateBarriersOp>(lowerCreateBarriers);
  table.add<ArriveOp>(lowerArrive);
  table.add<AwaitOp>(lowerAwait);
}

void simt::addOwnLowerings(target::TargetRegistry &registry) {
  LoweringTable table(registry);
  // Lowerings for kinds of operations come first: if an operation has two
  // lowerings, the one registered last is used.
  addScalarsLowerings(table);
  addMovementLowerings(table);
  addDotLowerings(table);
  addAccessLowerings(table);
  addPairLayouts(table);
  addReduceLowerings(table);
  addScanLowerings(table);
  addSortLowerings(table);
  addInlineAsmLowerings(table);
  addOutputLowerings(table);
  addPointersLowerings(table);
  addControlFlowLowerings(table);
  addGridLowerings(table);
  addStagedLowerings(table);
  addStagedCopiesLowerings(table);
  addWaitLowerings(table);
}

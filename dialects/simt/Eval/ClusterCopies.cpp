// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies into the memory of all blocks of a cluster, and arrivals there.
#include "Machine.h"
#include "kiln/Dialect/Simt/ClusterOps.h"

using namespace mlir;

namespace kiln::eval {

void ThreadCluster::add(ThreadBlock &block, size_t count) {
  block.cluster = this;
  block.member = unsigned(blocks.size());
  blocks.push_back(&block);
  for (auto &warp : block.warps) {
    warp->known.assign(size_t(kMostWarps) * count, 0);
    warp->known[warp->clock()] = 1;
  }
}

SlotBarrier *ThreadCluster::barrierOf(ThreadBlock &block, Operation *op,
                                      const Warp &warp, int64_t address) {
  bool isOwn = &warp.block == &block;
  if (!isOwn && llvm::all_of(block.warps, [](auto &one) {
        return one->coroutine.isDone();
      })) {
    op->emitError("reaches the shared memory of a block that has ended");
    return nullptr;
  }
  SlotBarrier *found = block.slotBarrier(op, address);
  if (isOwn || !found)
    return found;
  // Both blocks have passed a barrier of the cluster since it was made.
  if (found->madeIn >= std::min(block.clusterPhase, warp.block.clusterPhase)) {
    op->emitError("reaches the barrier at byte ")
        << address << " of another block, which may not be there yet: no "
        << "barrier of the cluster stands in between";
    return nullptr;
  }
  block.reachedBy = op;
  return found;
}

LogicalResult ThreadBlock::touchFromOutside(const ThreadCopy &copy) {
  Warp &warp = *copy.warp;
  uint32_t number = numberOf(copy.op);
  for (int64_t at = copy.target; at < copy.target + copy.bytes; ++at) {
    ByteState &byte = shared.at(at);
    if (byte.copy || byte.products)
      return copy.op->emitError("writes byte ")
             << at << " of the shared memory of another block, which a "
             << (byte.copy ? "copy in flight writes"
                           : "product in flight reads");
    if (!areReadsKnown(at, warp)) {
      InFlightDiagnostic diag =
          copy.op->emitError("race: writes byte ")
          << at << " of the shared memory of another block, which may still "
          << "read it";
      if (Operation *reader = opOf(byte.read.op))
        diag.attachNote(reader->getLoc()) << "it does so here";
      return diag;
    }
    byte = ByteState();
    byte.write.add(warp.moment(copy.lane), number);
    byte.write.warps = 0; // of this block
  }
  return success();
}

namespace {

/// The blocks of the cluster of a warp; none after a report where there are not
/// as many as an operation names.
ArrayRef<ThreadBlock *> blocksOf(Operation *op, const Warp &warp,
                                 int64_t count) {
  ThreadCluster *cluster = warp.block.cluster;
  if (cluster && int64_t(cluster->blocks.size()) == count)
    return cluster->blocks;
  op->emitOpError("expected a launch in clusters of ") << count << " blocks";
  return {};
}

LogicalResult arrive(simt::ArriveInClusterOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  return masked(op, *warp, op.getMask(), [&]() -> LogicalResult {
    if (!warp->active)
      return success();
    const Value &address = warp->frame.get(op.getBarrier());
    ArrayRef<ThreadBlock *> blocks = blocksOf(op, *warp, op.getBlocks());
    if (blocks.empty() ||
        failed(warp->checkHasValue(op, address, "the barrier")))
      return failure();
    LogicalResult result = warp->eachLane([&](unsigned lane) -> LogicalResult {
      int64_t at = intAt(address, lane);
      for (ThreadBlock *block : blocks) {
        SlotBarrier *barrier = ThreadCluster::barrierOf(*block, op, *warp, at);
        if (!barrier || failed(block->arriveAt(op, *warp, *barrier, 0)))
          return failure();
      }
      return success();
    });
    ++warp->known[warp->clock()];
    return result;
  });
}

LogicalResult copy(simt::CopyInClusterOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  return masked(op, *warp, op.getMask(), [&]() -> LogicalResult {
    if (!warp->active)
      return success();
    const Value &target = frame.get(op.getTarget()),
                &barrier = frame.get(op.getBarrier());
    ArrayRef<ThreadBlock *> blocks = blocksOf(op, *warp, op.getBlocks());
    if (blocks.empty() ||
        failed(warp->checkHasValue(op, target, "the target")) ||
        failed(warp->checkHasValue(op, barrier, "the barrier")))
      return failure();
    return warp->eachLane([&](unsigned lane) -> LogicalResult {
      int64_t start = intAt(target, lane), at = intAt(barrier, lane);
      FailureOr<std::string> bytes = gatherBox(op, *warp, lane, start);
      if (failed(bytes))
        return failure();
      int64_t part = op.getBytes() / int64_t(blocks.size()),
              first = part * warp->block.member;
      for (ThreadBlock *block : blocks) {
        if (!ThreadCluster::barrierOf(*block, op, *warp, at))
          return failure();
        ThreadCopy one;
        one.op = op;
        one.warp = warp;
        one.lane = lane;
        one.target = start + first;
        one.bytes = part;
        one.barrier = at;
        one.snapshot = bytes->substr(size_t(first), size_t(part));
        if (failed(block->issueBulk(std::move(one))))
          return failure();
      }
      return success();
    });
  });
}

} // namespace

void addSimtClusterCopies(EvaluationInterface &table) {
  table.add<simt::CopyInClusterOp>(copy);
  table.add<simt::ArriveInClusterOp>(arrive);
}

} // namespace kiln::eval

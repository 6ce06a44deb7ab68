//===- PersistRings.cpp - Persistent loops around ring buffers ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ring that is made before the loop over points of the grid goes on from one
// point to the next: its producer fills slots for the next point while the
// consumers are at the end of this one.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "ScratchNeeds.h"
#include "StorageAreas.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Limits.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTPERSISTRINGS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// The rings that are outside of all loops.
static auto ringsOf(tile::KernelOp kernel) {
  return kernel.getBody().getOps<stage::RingOpInterface>();
}

/// Whether a copy unit fills all rings of a kernel.
static bool fillsAllInBulk(tile::KernelOp kernel) {
  return !kernel
              .walk([&](stage::RingOpInterface ring) {
                return hasSlotBarriers(ring.getRing()) &&
                               ring->getParentOp() == kernel
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Has threads fill the rings of a kernel again. Rings of slot barriers are
/// made once in a launch, so they cannot be made anew for each point.
static void fillByThreads(tile::KernelOp kernel) {
  kernel.walk([](Operation *op) {
    if (auto ring = dyn_cast<stage::RingOpInterface>(op))
      ring.setBarriersAttr({});
    else if (auto copy = dyn_cast<stage::StorageCopyOpInterface>(op))
      copy.setUsesCopyUnit(false);
  });
}

/// Returns why the copies of a kernel do not get a warp of their own; empty if
/// they do (simt-split-producer).
static std::string whyNoProducer(tile::KernelOp kernel,
                                 const BlockShape &block) {
  std::optional<ProducerCosts> costs = producerCostsOf(block.description);
  if (!costs ||
      !warpsOfProducer(*costs, block.warps, block.lanes, block.description))
    return "a block has no warp more";
  int64_t bytes = 0;
  for (stage::RingOpInterface ring : ringsOf(kernel))
    bytes += ringBytes(ring);
  if (tile::printsOrAsserts(kernel))
    return "it prints or asserts";
  if (2 * bytes <= sharedBytesOf(block.description))
    return "a core runs several blocks at once";
  return "";
}

/// Whether it is not known how often a loop uses a ring.
static bool hasOpenLoops(tile::KernelOp kernel) {
  for (stage::RingOpInterface ring : ringsOf(kernel))
    for (Operation *user : ring->getUsers())
      for (auto loop = user->getParentOfType<scf::ForOp>(); loop;
           loop = loop->getParentOfType<scf::ForOp>())
        if (!loop.getStaticTripCount())
          return true;
  return false;
}

/// Whether points of the grid differ in how often their loops use several
/// rings.
static bool isUneven(tile::KernelOp kernel) {
  if (llvm::hasSingleElement(ringsOf(kernel)))
    return false;
  for (stage::RingOpInterface ring : ringsOf(kernel))
    for (Operation *user : ring->getUsers())
      for (auto loop = user->getParentOfType<scf::ForOp>(); loop;
           loop = loop->getParentOfType<scf::ForOp>())
        for (Value bound : {loop.getLowerBound(), loop.getUpperBound()}) {
          SetVector<Operation *> sources;
          BackwardSliceOptions options;
          options.inclusive = true;
          (void)getBackwardSlice(bound, &sources, options);
          if (llvm::any_of(sources,
                           llvm::IsaPred<tile::ProgramIdOp, tile::InstanceIdOp,
                                         tile::GridCoordinatesOp>))
            return true;
        }
  return false;
}

/// How many slots of a ring are taken in each block of operations.
static llvm::DenseMap<Block *, int64_t> takesOf(stage::RingOpInterface ring) {
  llvm::DenseMap<Block *, int64_t> takes;
  for (Operation *user : ring->getUsers())
    if (stage::ringTakenBy(user))
      ++takes[user->getBlock()];
  return takes;
}

/// Returns why it is not known from one point to the next which slots are full;
/// empty if it is. Slots of several rings then come round in step: all loops
/// take as many of each, or it is known how often they do.
static std::string whyOutOfStep(tile::KernelOp kernel) {
  auto rings = ringsOf(kernel);
  if (llvm::hasSingleElement(rings))
    return "";
  auto first = takesOf(*rings.begin());
  if (llvm::all_of(rings, [&](stage::RingOpInterface ring) {
        return takesOf(ring) == first;
      }))
    return "";
  return hasOpenLoops(kernel)
             ? "how often its loops fill several rings is not known"
             : "";
}

/// The most points of a grid; none where only a launch knows.
static std::optional<int64_t> mostPoints(tile::KernelOp kernel) {
  auto most = kernel.getMostInstancesAttr();
  if (!most)
    return std::nullopt;
  int64_t points = 1;
  for (int64_t extent : most.asArrayRef())
    points = llvm::MulOverflow(points, extent, points) ? INT64_MAX : points;
  return points;
}

/// Returns why a grid has too few points for it to matter; empty if it may have
/// enough.
static std::string whyFewPoints(tile::KernelOp kernel,
                                target::TargetAttr description) {
  std::optional<int64_t> points = mostPoints(kernel);
  return points && *points <= target::countCores(description)
             ? "each core has one point of the grid at most"
             : "";
}

/// Returns why a launch hands out points better than instances in turns do;
/// empty if it does not. What one round of uneven points leaves unequal adds up
/// over many rounds.
static std::string whyUnequal(tile::KernelOp kernel,
                              target::TargetAttr description) {
  constexpr int64_t kMostRounds = 4;
  std::optional<int64_t> points = mostPoints(kernel);
  return isUneven(kernel) &&
                 (!points ||
                  *points > kMostRounds * target::countCores(description))
             ? "its points differ in what there is to do, and may be many"
             : "";
}

/// Whether an operation stands behind all that uses rings.
static bool isBehindRings(Operation *op, tile::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  Operation *whole = body.findAncestorOpInBlock(*op);
  for (stage::RingOpInterface ring : ringsOf(kernel))
    for (Operation *user : ring->getUsers())
      if (!body.findAncestorOpInBlock(*user)->isBeforeInBlock(whole))
        return false;
  return true;
}

/// Returns why the storage of a kernel and what its operations borrow do not
/// fit side by side; empty if they do.
static std::string whyNoRoom(tile::KernelOp kernel, const BlockShape &block,
                             int64_t kept) {
  if (kept > sharedBytesOf(block.description))
    return "its storage does not fit side by side";
  bool fits = true;
  kernel.walk([&](Operation *op) {
    for (const ScratchNeed &need : scratchNeeds(op, block))
      fits &= kept + need.bytes <= sharedBytesOf(block.description);
  });
  return fits ? "" : "its exchanges do not fit beside its storage";
}

/// Returns why groups of consumers wait for each other at the end of a point,
/// so that none multiplies for the next one meanwhile; empty if they do not.
static std::string whyTogether(tile::KernelOp kernel, const BlockShape &block) {
  bool isOfWarps = true;
  kernel.walk([&](Operation *op) {
    for (const ScratchNeed &need : scratchNeeds(op, block))
      isOfWarps &= need.warpBytes || !isBehindRings(op, kernel);
  });
  return isOfWarps ? "" : "warps exchange tiles at the end of a point";
}

namespace {
struct PersistRings : simt::impl::SimtPersistRingsBase<PersistRings> {
  using SimtPersistRingsBase::SimtPersistRingsBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    auto warps = kernel.getWarpsAttr();
    std::optional<bool> hint = tile::asksPersistent(kernel);
    bool isAsked = hint.value_or(all);
    if (kernel.isExternal() || tile::isPersistent(kernel) || !warps ||
        ringsOf(kernel).empty() || (!isAsked && (askedOnly || hint)) ||
        !tile::whyNotPersistent(kernel).empty())
      return;
    target::TargetAttr description = target::getDescription(kernel);
    BlockShape block(kernel, lanesOf(description, lanes), warps.getInt(),
                     description);
    std::string reason = whyNot(kernel, block, isAsked);
    if (reason.empty()) {
      tile::makePersistent(kernel, llvm::IsaPred<stage::RingOpInterface>,
                           isUneven(kernel));
      return;
    }
    if (isAsked)
      return fillByThreads(kernel);
    tile::reportSingle(kernel, getArgument(), reason);
  }

private:
  /// Returns why a kernel is not made persistent; empty if it is. What does not
  /// pay is done where it is asked for.
  static std::string whyNot(tile::KernelOp kernel, BlockShape &block,
                            bool isAsked) {
    if (!fillsAllInBulk(kernel))
      return "threads fill rings";
    int64_t kept = storageBytes(kernel);
    block.machine.reserve(kept);
    std::string reason = whyNoRoom(kernel, block, kept);
    if (isAsked || !reason.empty())
      return reason;
    for (auto &&why :
         {whyNoProducer(kernel, block), whyFewPoints(kernel, block.description),
          whyOutOfStep(kernel), whyUnequal(kernel, block.description),
          whyTogether(kernel, block)})
      if (!why.empty())
        return why;
    return "";
  }
};
} // namespace

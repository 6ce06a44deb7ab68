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
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Tile/GridFacts.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Limits.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTPERSISTRINGS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Returns why the copies of a kernel do not get a warp of their own; empty if
/// they do (simt-split-producer).
static std::string whyNoProducer(tile::KernelOp kernel, ProducerCosts costs,
                                 const BlockShape &block) {
  int64_t group = costs.warps;
  if (block.warps % group)
    return "its warps are no whole groups";
  int64_t added = block.warps == group ? 1 : group;
  if (block.warps + added > mostWarpsOf(block.description, block.lanes))
    return "a block has no warp more";
  int64_t bytes = 0;
  bool hasOther = false;
  kernel.walk([&](Operation *op) {
    if (auto ring = dyn_cast<stage::RingOp>(op)) {
      hasOther |=
          !hasSlotBarriers(ring.getRing()) || ring->getParentOp() != kernel;
      bytes += ringBytes(ring);
    }
  });
  if (!bytes || hasOther)
    return "threads fill rings";
  if (tile::printsOrAsserts(kernel))
    return "it prints or asserts";
  if (2 * bytes <= sharedBytesOf(block.description))
    return "a core runs several blocks at once";
  return "";
}

/// Returns why it is not known from one point to the next which slots are full;
/// empty if it is. Slots of several rings then come round in step.
static std::string whyOutOfStep(tile::KernelOp kernel) {
  auto rings = kernel.getBody().getOps<stage::RingOp>();
  if (llvm::hasSingleElement(rings))
    return "";
  for (stage::RingOp ring : rings)
    for (Operation *user : ring->getUsers())
      for (auto loop = user->getParentOfType<scf::ForOp>(); loop;
           loop = loop->getParentOfType<scf::ForOp>())
        if (!loop.getStaticTripCount())
          return "how often its loops fill several rings is not known";
  return "";
}

/// Returns why a grid has too few points for it to matter; empty if it may have
/// enough.
static std::string whyFewPoints(tile::KernelOp kernel,
                                target::TargetAttr description) {
  auto most =
      kernel->getAttrOfType<DenseI64ArrayAttr>(tile::kMostInstancesAttr);
  if (!most)
    return "";
  int64_t points = 1;
  for (int64_t extent : most.asArrayRef())
    points = llvm::MulOverflow(points, extent, points) ? INT64_MAX : points;
  return points <= target::countCores(description)
             ? "each core has one point of the grid at most"
             : "";
}

/// Whether an operation stands behind all that uses rings.
static bool isBehindRings(Operation *op, tile::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  Operation *whole = body.findAncestorOpInBlock(*op);
  for (auto ring : body.getOps<stage::RingOp>())
    for (Operation *user : ring->getUsers())
      if (!body.findAncestorOpInBlock(*user)->isBeforeInBlock(whole))
        return false;
  return true;
}

/// Returns why the storage of a kernel and what its operations borrow do not
/// fit side by side; empty if they do.
static std::string whyNoRoom(tile::KernelOp kernel, BlockShape &block) {
  int64_t kept = storageBytes(kernel),
          left = sharedBytesOf(block.description) - kept;
  if (left <= 0)
    return "its storage leaves no shared memory";
  block.machine.reserve(kept);
  bool fits = true, isOfWarps = true;
  kernel.walk([&](Operation *op) {
    for (const ScratchNeed &need : scratchNeeds(op, block)) {
      fits &= need.bytes <= left;
      isOfWarps &= need.warpBytes || !isBehindRings(op, kernel);
    }
  });
  if (!fits)
    return "its exchanges do not fit beside its storage";
  // Groups of consumers that wait for each other at the end of a point do not
  // multiply for the next one meanwhile.
  return isOfWarps ? "" : "warps exchange tiles at the end of a point";
}

namespace {
struct PersistRings : simt::impl::SimtPersistRingsBase<PersistRings> {
  using SimtPersistRingsBase::SimtPersistRingsBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel.isExternal() || tile::isPersistent(kernel) ||
        !tile::asksPersistent(kernel).value_or(true))
      return;
    target::TargetAttr description = target::getDescription(kernel);
    std::optional<ProducerCosts> costs = producerCostsOf(description);
    auto warps = kernel->getAttrOfType<IntegerAttr>(kWarpsAttr);
    if (!costs || !warps || kernel.getBody().getOps<stage::RingOp>().empty())
      return;
    BlockShape block(kernel, lanesOf(description, lanes), warps.getInt(),
                     description);
    std::string reason = tile::whyNotPersistent(kernel);
    if (reason.empty())
      reason = whyNoProducer(kernel, *costs, block);
    if (reason.empty())
      reason = whyFewPoints(kernel, description);
    if (reason.empty())
      reason = whyOutOfStep(kernel);
    if (reason.empty())
      reason = whyNoRoom(kernel, block);
    if (reason.empty()) {
      tile::makePersistent(kernel, llvm::IsaPred<stage::RingOp>);
      return;
    }
    target::Report &report = target::Report::of(&getContext());
    target::ReportRow row = report.describe(kernel);
    row.stage = "persistent";
    row.chosen = "an instance for each point";
    row.declines.push_back({"simt-persist-rings", reason});
    report.add(std::move(row));
  }
};
} // namespace

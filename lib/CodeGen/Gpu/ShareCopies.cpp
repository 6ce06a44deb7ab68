//===- ShareCopies.cpp - Copies that a cluster makes together -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "StorageAreas.h"
#include "kiln/Dialect/Simt/ClusterOps.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Gpu/ThreadBuilder.h"
#include "kiln/Target/Clusters.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTSHARECOPIES
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// Which values are the same in all instances that differ along x alone.
class Sameness {
public:
  explicit Sameness(tile::KernelOp kernel) : kernel(kernel) {}

  bool isSame(Value value);
  /// Whether all of them come to an operation as often.
  bool isReachedAlike(Operation *op);

private:
  bool find(Value value);

  tile::KernelOp kernel;
  /// Those that are known not to differ, or are looked at: a value that a loop
  /// carries is the same if what it begins with and what replaces it are.
  llvm::SetVector<Value> same;
};
} // namespace

bool Sameness::isSame(Value value) {
  if (!same.insert(value))
    return true;
  size_t before = same.size();
  if (find(value))
    return true;
  // What was found meanwhile may rest on this one.
  while (same.size() >= before)
    same.pop_back();
  return false;
}

bool Sameness::find(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == kernel)
      return true;
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop || !isReachedAlike(loop.getBody()->getTerminator()))
      return false;
    return argument == loop.getInductionVar() ||
           (isSame(loop.getTiedLoopInit(argument)->get()) &&
            isSame(loop.getTiedLoopYieldedValue(argument)->get()));
  }
  Operation *op = value.getDefiningOp();
  constexpr unsigned kAlong = 0;
  if (isa<tile::ProgramIdOp>(op))
    return cast<OpResult>(value).getResultNumber() != kAlong;
  // Others may differ, or come from memory.
  return !op->getNumRegions() && isMemoryEffectFree(op) &&
         !op->hasTrait<tile::InstanceValue>() &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isSame(operand); });
}

bool Sameness::isReachedAlike(Operation *op) {
  for (Operation *around = op->getParentOp(); around != kernel;
       around = around->getParentOp()) {
    if (stage::ringFilledBy(around))
      continue;
    if (auto choice = dyn_cast<scf::IfOp>(around)) {
      if (!isSame(choice.getCondition()))
        return false;
    } else if (auto loop = dyn_cast<scf::ForOp>(around)) {
      if (!isSame(loop.getLowerBound()) || !isSame(loop.getUpperBound()) ||
          !isSame(loop.getStep()))
        return false;
    } else {
      return false;
    }
  }
  return true;
}

/// Whether parts of a box lie in storage as a swizzle has them from its
/// beginning, which repeats after `period` rows.
static bool hasWholeParts(stage::StorageCopyOpInterface copy, int64_t blocks,
                          int64_t extent, int64_t period) {
  auto storage = cast<MemRefType>(copy.getTarget().getType());
  Permutation permutation = permutationOf(storage);
  int64_t each = ThreadBuilder::storedBytes(storage.getElementType());
  int64_t row = storage.getDimSize(permutation.inner) * each,
          rows = storage.getDimSize(1 - permutation.inner);
  int64_t piece = std::min(row, permutation.piece), pieces = row / piece;
  bool splitsPieces = pieces % blocks == 0;
  return rows > 1 && row % piece == 0 &&
         (splitsPieces ||
          (pieces == 1 && rows <= extent && rows % (blocks * period) == 0));
}

/// The copies that a ring's slots are filled by, if both instances of a cluster
/// use the ring alike.
static SmallVector<stage::StorageCopyOpInterface>
copiesOf(stage::RingOpInterface ring, Sameness &known) {
  SmallVector<stage::StorageCopyOpInterface> copies;
  for (Operation *user : ring->getUsers()) {
    if (!known.isReachedAlike(user))
      return {};
    if (stage::ringFilledBy(user))
      user->walk(
          [&](stage::StorageCopyOpInterface copy) { copies.push_back(copy); });
  }
  return copies;
}

namespace {
struct ShareCopies : simt::impl::SimtShareCopiesBase<ShareCopies> {
  using SimtShareCopiesBase::SimtShareCopiesBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    auto unit = bulkCopiesOf(target::getDescription(kernel));
    if (kernel.isExternal() || !unit || tile::isPersistent(kernel) ||
        tile::getCluster(kernel) != ArrayRef(target::kPair))
      return;
    // Without it an instance might end while another one copies into its
    // memory.
    Operation *last = kernel.getBody().front().getTerminator()->getPrevNode();
    SmallVector<stage::RingOpInterface> rings;
    kernel.walk([&](stage::RingOpInterface ring) { rings.push_back(ring); });
    if (!isa_and_nonnull<tile::ClusterBarrierOp>(last) || rings.size() != 1 ||
        !hasSlotBarriers(rings.front().getRing()))
      return;
    Sameness known(kernel);
    auto copies = copiesOf(rings.front(), known);
    // Of the copies into a part of the slots all are shared, or none: they are
    // the same boxes in other steps, perhaps each of its own view.
    llvm::DenseMap<unsigned, bool> isShared;
    for (stage::StorageCopyOpInterface copy : copies) {
      auto part = dyn_cast<BlockArgument>(copy.getTarget());
      if (!part)
        return;
      bool suits = known.isSame(copy.getSource()) &&
                   hasWholeParts(copy, target::kPair[0], unit->extent,
                                 unit->row / unit->chunk) &&
                   llvm::all_of(copy.getFrom(),
                                [&](Value at) { return known.isSame(at); });
      auto [found, isNew] = isShared.try_emplace(part.getArgNumber(), suits);
      found->second &= suits;
    }
    auto blocks =
        IntegerAttr::get(IntegerType::get(&getContext(), 64), target::kPair[0]);
    for (stage::StorageCopyOpInterface copy : copies)
      if (isShared.lookup(cast<BlockArgument>(copy.getTarget()).getArgNumber()))
        setDecided(copy, kSharedCopyEntry, blocks);
  }
};
} // namespace

//===- StageOperands.cpp - Factors of products in memory of the block -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Copiers.h"
#include "Machine.h"
#include "MemoryProducts.h"
#include "StagedLoads.h"
#include "StoredFactors.h"
#include "ThreadProducts.h"
#include "ThreadWriter.h"
#include "Work.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Simt/LayoutConversion.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Limits.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTSTAGEOPERANDS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// The iterations that an author wants to be under way at once; 0: not said.
int64_t wantedStages(Operation *loop) {
  if (std::optional<target::Asked> asked = target::findAsked(loop, "stages"))
    return cast<IntegerAttr>(asked->value).getInt();
  auto hints = loop->getAttrOfType<tile::LoopHintsAttr>(tile::kHintsAttr);
  return hints ? hints.getStages() : 0;
}

/// What a kernel's storage may take of the block's memory, and how many slots
/// rings have by default: a block that is alone on a core, as registers
/// or the number of blocks have it, has more of both than one that another can
/// take turns with. Where the grid has no more blocks than there are cores,
/// nothing else hides the time of copies: rings get the most slots.
struct Share {
  int64_t bytes, slots;
  int64_t whole;    ///< what a block that is alone may take
  int64_t borrowed; ///< what is left to operations beside the rings of `whole`
};

/// Whether a launch has no more instances than the machine has cores.
bool hasCoresForAll(tile::KernelOp kernel, target::TargetAttr description) {
  auto most = kernel.getMostInstancesAttr();
  int64_t instances = 1;
  if (!most || !description)
    return false;
  for (int64_t along : most.asArrayRef())
    if (along <= 0 || llvm::MulOverflow(instances, along, instances))
      return false;
  return instances <= target::countCores(description);
}

Share shareOf(tile::KernelOp kernel, target::TargetAttr description,
              int64_t lanes) {
  // For exchanges beside the rings, and what the machine keeps.
  constexpr int64_t kOther = 8 << 10;
  int64_t whole = sharedBytesOf(description);
  bool hasCores = hasCoresForAll(kernel, description);
  bool isAlone =
      hasCores || fillsRegisters(kernel, warpsOf(kernel) * lanes, description);
  // Computed factors get storage beside the rings (storeFactors).
  whole -= bytesToStore(kernel, [&](MatrixProductOpInterface op, int which) {
    target::MatrixInstructionAttr row = memoryRowOf(op, description);
    OpOperand &factor = which == 0 ? op.getLhsOperand() : op.getRhsOperand();
    return row && swizzleOf(row, which) && !storageRead(factor.get());
  });
  const int64_t slots = hasCores ? 6 : 4;
  return isAlone ? Share{whole - kOther, slots, whole - kOther, kOther}
                 : Share{whole / 2 - kOther / 4, 3, whole - kOther, kOther};
}

/// The most bytes of shared memory that an operation of a loop borrows while
/// the loop's ring is in use. Changes of layout behind loads that become
/// storage borrow none, and neither do products that read nothing else.
int64_t bytesBorrowedIn(const LoopLoads &loads, const BlockShape &block) {
  int64_t most = 0;
  loads.getLoop().getBody()->walk([&](Operation *op) {
    auto product = dyn_cast<MatrixProductOpInterface>(op);
    bool readsStorage =
        product && multipliesLoads(product) &&
        loads.has(loadOfFactor(product.getLhsOperand().get())) &&
        loads.has(loadOfFactor(product.getRhsOperand().get()));
    if (product && !readsStorage && !getDecided(op, kRowEntry)) {
      Value lhs = product.getLhsOperand().get(),
            rhs = product.getRhsOperand().get();
      bool isPadded = hasRoomForPadding(lhs, rhs, block.description);
      most = std::max(most, threadProductBytes(lhs, rhs, isPadded));
    }
    if (auto convert = dyn_cast<LayoutConversionOpInterface>(op);
        convert && isTileLoad(convert.getSource().getDefiningOp()))
      return;
    for (const ScratchNeed &need : scratchNeeds(op, block))
      most = std::max(most, need.bytes);
  });
  return most;
}

struct SimtStageOperands
    : simt::impl::SimtStageOperandsBase<SimtStageOperands> {
  using Base::Base;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    target::TargetAttr description = target::getDescription(kernel);
    int64_t lanes = lanesOf(description, this->lanes);
    if (failed(verifyMachine(kernel, description, lanes)))
      return signalPassFailure();
    if (failed(target::verifyAsked(kernel, "stages")))
      return signalPassFailure();
    BlockShape block(kernel, lanes, warpsOf(kernel), description);
    if (failed(decideCopiers(kernel, block)))
      return signalPassFailure();
    int64_t fixed = stageFixed(kernel, block);
    Share share = shareOf(kernel, description, lanes);
    int64_t most = bytes ? bytes.getValue() : share.bytes - fixed;
    share.whole -= fixed;
    share.bytes -= fixed;
    kernel.walk([&](scf::WhileOp loop) {
      miss(loop, "whether an iteration is the last is known only after it");
    });
    if (!description || description.getUnitOfKind(target::UnitKind::DMA))
      stageLoops(block, share, most, /*leavesRoom=*/fixed != 0);
    else // copies are asynchronous only where a unit performs them
      kernel.walk([&](scf::ForOp loop) {
        miss(loop, "nothing on '" + description.getChip() +
                       "' copies beside the threads");
      });
    removeUnusedCopiers(kernel);
    storeFactors(kernel);
  }

private:
  /// Gives each loop a ring for its loads, as long as there is memory: inner
  /// loops first. Beside storage that all loops read (`leavesRoom`), a loop
  /// leaves two slots to each loop behind it.
  void stageLoops(const BlockShape &block, const Share &share, int64_t most,
                  bool leavesRoom) {
    std::vector<LoopLoads> all;
    getOperation().walk(
        [&](scf::ForOp loop) { all.emplace_back(loop, block); });
    SmallVector<scf::ForOp> staged;
    SmallVector<std::pair<scf::ForOp, int64_t>> rings;
    int64_t taken = 0; // by rings side by side
    for (auto [i, loads] : llvm::enumerate(all)) {
      scf::ForOp loop = loads.getLoop();
      int64_t slots = slotsOf(loop, share);
      if (slots < 2)
        continue;
      if (isAround(loop, staged)) {
        miss(loop, "a loop inside of it has copies in flight");
        continue;
      }
      if (loads.empty()) {
        miss(loop, loads.getDeclined() ? loads.getReason() : "it loads no tile",
             loads.getDeclined());
        // Who asks for stages gets loads ahead at least, through registers.
        if (wantedStages(loop) >= 2 && canLoadAhead(loop))
          loads.loadAhead();
        continue;
      }
      int64_t slot = loads.slotBytes();
      // Two slots are worth more than a second block of threads.
      if (!bytes && 2 * slot > most && most == share.bytes)
        most = share.whole;
      // Where all rings do not fit side by side, loops that follow each other
      // have theirs in the same bytes.
      int64_t before = 0;
      if (2 * slot > most)
        most += before = bytesBefore(loop, rings);
      taken -= before;
      // The loop's operations borrow memory beside its ring.
      int64_t limit = most;
      if (!bytes)
        limit = std::min(most, share.whole + share.borrowed - taken -
                                   bytesBorrowedIn(loads, block));
      int64_t room = limit - (leavesRoom ? bytesBehind(all, i) : 0);
      while (slots > 2 && slot * slots > room)
        --slots;
      if (slot * slots > limit) {
        miss(loop, "two slots of " + Twine(slot) + " bytes do not fit into " +
                       Twine(std::max<int64_t>(limit, 0)));
        most -= before;
        taken += before;
        rings.push_back({loop, before});
        continue;
      }
      if (slots < wantedStages(loop))
        miss(loop,
             "there is room for " + Twine(slots) + " slots of " + Twine(slot) +
                 " bytes",
             nullptr, /*isPart=*/true);
      if (!isShort(loop)) {
        if (!wantedStages(loop) && !stages)
          slots = loads.slotsWithNumbers(block, slots, room);
        loads.addNumbers(block, slots, room);
      }
      before = std::max(before, loads.slotBytes() * slots);
      most -= before;
      taken += before;
      rings.push_back({loop, before});
      loads.copy(slots, block);
      loads.loadAhead();
      staged.push_back(loop);
    }
  }

  /// Whether loads alone may go ahead: not beside a product, whose operands and
  /// sums need the registers, and only where an iteration computes all that it
  /// hands on.
  static bool canLoadAhead(scf::ForOp loop) {
    bool hasProduct = loop.walk([](MatrixProductOpInterface) {
                            return WalkResult::interrupt();
                          })
                          .wasInterrupted();
    return !hasProduct &&
           llvm::all_of(loop.getYieldedValues(),
                        [](Value value) { return value.getDefiningOp(); });
  }

  /// The slots that a loop's ring should have.
  int64_t slotsOf(scf::ForOp loop, const Share &share) {
    if (int64_t wanted = wantedStages(loop))
      return wanted;
    return stages ? stages.getValue() : share.slots;
  }

  static bool isAround(scf::ForOp loop, ArrayRef<scf::ForOp> inner) {
    return llvm::any_of(
        inner, [&](scf::ForOp one) { return loop->isProperAncestor(one); });
  }

  /// The bytes of two slots of each loop behind the one at `index`. A loop
  /// around one that has slots gets none.
  static int64_t bytesBehind(ArrayRef<LoopLoads> loops, size_t index) {
    int64_t bytes = 0;
    SmallVector<scf::ForOp> rings;
    for (auto [i, loads] : llvm::enumerate(loops)) {
      if (loads.empty() || isAround(loads.getLoop(), rings))
        continue;
      rings.push_back(loads.getLoop());
      if (i > index)
        bytes += 2 * loads.slotBytes();
    }
    return bytes;
  }

  /// Copies left factors that a loop does not change to where instructions of
  /// the loop read them. Returns their bytes.
  static int64_t stageFixed(tile::KernelOp kernel, const BlockShape &block) {
    target::TargetAttr description = block.description;
    llvm::MapVector<Operation *, scf::ForOp> loads;
    kernel.walk([&](MatrixProductOpInterface product) {
      target::MatrixInstructionAttr row = memoryRowOf(product, description);
      Operation *load = product.getLhsOperand().get().getDefiningOp();
      auto loop = dyn_cast<scf::ForOp>(product->getParentOp());
      if (row && swizzleOf(row, 0) && loop && isTileLoad(load) &&
          !loop->isAncestor(load))
        loads.insert({load, loop});
    });
    index::Analysis scalars;
    tile::AxisAnalysis facts(scalars);
    int64_t bytes = 0;
    for (auto [load, loop] : loads) {
      std::string why;
      auto staged = stagedLoad(load, loop, block, facts,
                               /*takesNumbers=*/false, why);
      if (!staged || !staged->isBox)
        continue; // products write what they read by themselves
      bytes += staged->alignedBytes();
      copyToStorage(*staged, load, block);
      load->erase();
    }
    return bytes;
  }

  /// The bytes of rings of loops that end before a loop begins, which it may
  /// use: they are taken from the list. Loops in others are not looked at.
  static int64_t
  bytesBefore(scf::ForOp loop,
              SmallVectorImpl<std::pair<scf::ForOp, int64_t>> &rings) {
    int64_t bytes = 0;
    auto isBefore = [&](const std::pair<scf::ForOp, int64_t> &ring) {
      return isa<tile::KernelOp>(loop->getParentOp()) &&
             ring.first->getBlock() == loop->getBlock();
    };
    for (auto &ring : rings)
      bytes += isBefore(ring) ? ring.second : 0;
    llvm::erase_if(rings, isBefore);
    return bytes;
  }

  /// Says why a loop does not have what its hint, or a schedule script, asks
  /// for. Of kernels with variants these say it.
  void miss(Operation *loop, const Twine &reason, Operation *at = nullptr,
            bool isPart = false) {
    int64_t wanted = wantedStages(loop);
    std::optional<target::Asked> asked = target::findAsked(loop, "stages");
    if (wanted < 2 || getOperation().getVariantsAttr())
      return;
    InFlightDiagnostic warning =
        asked ? mlir::emitError(asked->at) : loop->emitWarning();
    if (asked)
      signalPassFailure();
    warning << (asked ? "unsupported: " : "") << wanted
            << " stages were asked for, but "
            << (isPart ? "" : "nothing of this loop is copied ahead: ");
    if (at)
      warning << "'" << at->getName() << "' at "
              << target::locationString(at->getLoc()) << ": ";
    warning << reason;
  }
};
} // namespace

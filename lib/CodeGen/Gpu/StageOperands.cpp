//===- StageOperands.cpp - Factors of products in memory of the block -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelWalk.h"
#include "LayoutChoice.h"
#include "LoopMemory.h"
#include "Machine.h"
#include "MemoryProducts.h"
#include "RegisterCandidates.h"
#include "RowCopies.h"
#include "StoredFactors.h"
#include "SwizzleChoice.h"
#include "Work.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/GridFacts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/Variants.h"
#include "kiln/Gpu/LayoutRule.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Staging/LoopValues.h"
#include "kiln/Target/Limits.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTSTAGEOPERANDS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// A load that becomes storage: the load, the changes of layout behind it, and
/// the dimension whose elements lie side by side. Each user reads the storage
/// in its own layout; products may read it by themselves.
struct Staged {
  Operation *load;
  SmallVector<ConvertLayoutOp> converts;
  int dim;
  int64_t bytes, align;
  SwizzleAttr swizzle; ///< of products that read the storage; else null

  bool isRead() const { return static_cast<bool>(swizzle); }
  /// What a product, or else whatever is the first user, takes.
  Value factor() {
    return converts.empty() ? Value(load->getResult(0))
                            : Value(converts.front().getResult());
  }
};
} // namespace

namespace {
/// Whether a tile only reaches products by matrix instructions that `takes`
/// says, as a factor, through operations that hand its bytes on.
bool feedsProducts(Value tile, function_ref<bool(Operation *)> takes) {
  return !tile.use_empty() && llvm::all_of(tile.getUsers(), [&](Operation *to) {
    if (handsOnBytes(to))
      return feedsProducts(to->getResult(0), takes);
    auto product = dyn_cast<MatrixProductOpInterface>(to);
    return product && takes(to) &&
           (!product.getAccOperand() || product.getAccOperand()->get() != tile);
  });
}

/// Moves what a copy needs of its iteration before an operation, if nothing of
/// it has effects.
bool moveNeedsBefore(Operation *load, Operation *before) {
  SetVector<Operation *> needed;
  auto add = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && def->getBlock() == before->getBlock() &&
          before->isBeforeInBlock(def))
        needed.insert(def);
  };
  add(load);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!isPure(needed[i]) || needed[i]->getNumRegions())
      return false;
    add(needed[i]);
  }
  SmallVector<Operation *> ordered(needed.getArrayRef());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    op->moveBefore(before);
  return true;
}

/// Moves what hands a factor on to its product to the product,
/// and returns what reads the factor first.
Operation *moveToProduct(Operation *user) {
  if (!handsOnBytes(user) || !user->hasOneUse())
    return user;
  Operation *next = moveToProduct(*user->getUsers().begin());
  if (next->getBlock() != user->getBlock())
    return user;
  user->moveBefore(next);
  return user;
}

} // namespace

bool simt::hasZeros(Operation *load) {
  auto isZero = [](Value value) {
    return matchPattern(value, m_Zero()) ||
           matchPattern(value, m_PosZeroFloat());
  };
  if (auto pointers = dyn_cast<tile::LoadPtrOp>(load))
    return !pointers.getOther() || isZero(pointers.getOther());
  auto access = cast<ViewAccessOpInterface>(load);
  Outside outside = access.getOutside();
  return outside == Outside::Zero || outside == Outside::Any ||
         (outside == Outside::Value && isZero(access.getOutsideValue()));
}

namespace {
/// A block of a view whose dimensions are those of the tile, in their order.
struct Box {
  Value view;
  SmallVector<OpFoldResult> offsets;
  bool countsBlocks = false; ///< offsets count blocks rather than elements
};

/// What a load reads as one copy of a box; nothing where it is another block.
std::optional<Box> boxOf(Operation *load) {
  auto access = dyn_cast<ViewAccessOpInterface>(load);
  if (!access)
    return std::nullopt;
  auto axes = access.getAxes();
  auto view = cast<tile::ViewType>(access.getAccessedView().getType());
  RankedTensorType tile = access.getAccessedType();
  int64_t first = int64_t(axes.size()) - tile.getRank();
  Box box{access.getAccessedView(), {}, axes.front().countsBlocks};
  for (auto [d, axis] : llvm::enumerate(axes)) {
    int64_t dim = std::max<int64_t>(int64_t(d) - first, -1);
    if (axis.isIndirect() || axis.tileDim != dim || axis.step != 1 ||
        axis.countsBlocks != box.countsBlocks ||
        axis.block != (dim < 0 ? 1 : tile.getDimSize(dim)))
      return std::nullopt;
    box.offsets.push_back(axis.offset);
  }
  if (first < 0 || view.getElementType() != tile.getElementType())
    return std::nullopt;
  return box;
}

bool hasStep(Operation *load) {
  auto access = dyn_cast<ViewAccessOpInterface>(load);
  return access && llvm::any_of(access.getAxes(), [](const ViewAxis &axis) {
           return axis.step != 1;
         });
}

/// The elements of a load that follow each other, and how many of them each
/// thread has together.
Contiguity piecesOf(Operation *load, tile::AxisAnalysis &facts) {
  Contiguity along;
  if (auto pointers = dyn_cast<tile::LoadPtrOp>(load))
    along = contiguityOf(pointers.getPtr(), pointers.getMask(), facts);
  else
    along = contiguityOf(cast<ViewAccessOpInterface>(load), facts);
  // A copy of a box has a layout of its own.
  if (along.dim >= 0 && !boxOf(load))
    along.count = int64_t(1) << vectorBits(getLayout(load->getResult(0)),
                                           along.dim, along.count)
                                    .size();
  return along;
}

bool isVolatile(Operation *load) {
  if (auto pointers = dyn_cast<tile::LoadPtrOp>(load))
    return pointers.getIsVolatile();
  return cast<ViewAccessOpInterface>(load).isVolatileAccess();
}

/// A load as storage, or why it cannot be. Of a load that is no factor, threads
/// read the storage where `takesNumbers`.
std::optional<Staged> stagedLoad(Operation *load, scf::ForOp loop,
                                 const BlockShape &block,
                                 tile::AxisAnalysis &facts, bool takesNumbers,
                                 std::string &why) {
  auto decline = [&](const Twine &reason) {
    why = reason.str();
    return std::nullopt;
  };
  auto type = dyn_cast<RankedTensorType>(load->getResult(0).getType());
  if (const RegisterCandidate *lowering = findLowering(load, block);
      lowering && !lowering->isOwn)
    return decline("lowering '" + lowering->lowering->name +
                   "' loads it as it stands");
  bool isBox = boxOf(load).has_value();
  SmallVector<ConvertLayoutOp> converts;
  if (type)
    for (Operation *user : load->getUsers())
      if (auto convert = dyn_cast<ConvertLayoutOp>(user);
          convert && convert->getBlock() == load->getBlock())
        converts.push_back(convert);
  auto description = target::getDescription(load);
  bool isRead = type && feedsProducts(load->getResult(0), [&](Operation *to) {
                  return isMemoryProduct(to, description);
                });
  // Rows as an instruction has them that reads memory, whatever else reads
  // them.
  SwizzleAttr swizzle =
      type ? swizzleOf(load->getResult(0), description) : SwizzleAttr();
  auto takesFragments = [](Operation *to) {
    return to->hasAttr(kRowAttr) || isa<LayoutRuleOpInterface>(to);
  };
  auto *factor = llvm::find_if(converts, [&](ConvertLayoutOp convert) {
    return feedsProducts(convert.getResult(), takesFragments);
  });
  bool isFactor = isRead || swizzle || factor != converts.end();
  if (factor != converts.end())
    std::swap(converts.front(), *factor);
  if (!isFactor && !(type && takesNumbers))
    return decline("what it loads is not just a factor of a product by a "
                   "matrix instruction");
  // A tile of one dimension is a row of storage.
  int64_t missing = 2 - type.getRank();
  auto access = dyn_cast<ViewAccessOpInterface>(load);
  if (missing && (missing != 1 || isFactor || !isBox ||
                  access.getAxes().size() < size_t(2)))
    return decline("it loads a tile of rank " + Twine(type.getRank()));
  if (isVolatile(load))
    return decline("it is volatile");
  if (hasStep(load))
    return decline("it loads with a step");
  if (!hasZeros(load))
    return decline("places without an element are not read as zero");
  for (int64_t size : type.getShape())
    if (!llvm::isPowerOf2_64(size))
      return decline("its sizes are not powers of two");
  if (!isa<FloatType, IntegerType>(type.getElementType()) ||
      type.getElementTypeBitWidth() < 8)
    return decline("its elements are not bytes");
  Contiguity along = piecesOf(load, facts);
  int64_t each = ThreadBuilder::storedBytes(type.getElementType());
  if (along.dim < 0)
    return decline("no neighbours of its tile lie side by side");
  if (along.count * each < 4)
    return decline("its rows are known to begin at multiples of " +
                   Twine(along.count * each) +
                   " bytes only, and copies move 4");
  // Rows of at least one chunk of 16 bytes.
  if (type.getDimSize(along.dim) * each < 16)
    return decline("its rows are shorter than 16 bytes");
  if (int64_t bytes = rowCopyBytesOf(description)) {
    if (!isBox)
      return decline("each thread looks up what it loads, and copies write "
                     "side by side");
    auto access = cast<ViewAccessOpInterface>(load);
    if (along.count * each != bytes ||
        sizeDivisor(access.getAccessedView(), unsigned(along.axis),
                    facts.getScalars()) %
            along.count)
      return decline("its rows are not known to consist of the " +
                     Twine(bytes) + " bytes that a copy moves");
    if (type.getNumElements() * each < bytes * block.lanes * block.warps)
      return decline("threads have less than " + Twine(bytes) +
                     " bytes of it to copy");
  }
  if (!isBox && !isKnownEarly(load, loop))
    return decline("where it reads depends on memory");
  return Staged{load,
                std::move(converts),
                int(along.dim + missing),
                type.getNumElements() * each,
                swizzle ? swizzle.getAlign() : lineBytesOf(description),
                swizzle};
}

/// The iterations that an author wants to be under way at once; 0: not said.
int64_t wantedStages(Operation *loop) {
  if (std::optional<target::Asked> asked = target::findAsked(loop, "stages"))
    return cast<IntegerAttr>(asked->value).getInt();
  auto hints = loop->getAttrOfType<tile::LoopHintsAttr>(tile::kLoopHintsAttr);
  return hints ? hints.getStages() : 0;
}

/// What a kernel's storage may take of the block's memory, and how many slots
/// rings have by default: a block that is alone on a core, as registers
/// or the number of blocks have it, has more of both than one that another can
/// take turns with.
struct Share {
  int64_t bytes, slots;
  int64_t whole; ///< what a block that is alone may take
};
/// The warps of a kernel whose tiles have layouts.
int64_t warpsOf(tile::KernelOp kernel) {
  constexpr int64_t kUsual = 4;
  auto warps = kernel->getAttrOfType<IntegerAttr>(kWarpsAttr);
  return warps ? warps.getInt() : kUsual;
}

/// Whether a launch has no more instances than the machine has cores.
bool hasCoresForAll(tile::KernelOp kernel, target::TargetAttr description) {
  auto most =
      kernel->getAttrOfType<DenseI64ArrayAttr>(tile::kMostInstancesAttr);
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
  bool isAlone = fillsRegisters(kernel, warpsOf(kernel) * lanes, description) ||
                 hasCoresForAll(kernel, description);
  // Computed factors get storage beside the rings (storeFactors).
  whole -= bytesToStore(kernel, [&](MatrixProductOpInterface op, int which) {
    target::MatrixInstructionAttr row = memoryRowOf(op, description);
    OpOperand &factor = which == 0 ? op.getLhsOperand() : op.getRhsOperand();
    return row && swizzleOf(row, which) && !storageRead(factor.get());
  });
  return isAlone ? Share{whole - kOther, 4, whole - kOther}
                 : Share{whole / 2 - kOther / 4, 3, whole - kOther};
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
    int64_t fixed = stageFixed(kernel, block, description, lanes);
    Share share = shareOf(kernel, description, lanes);
    int64_t most = bytes ? bytes.getValue() : share.bytes - fixed;
    share.whole -= fixed;
    share.bytes -= fixed;
    kernel.walk([&](scf::WhileOp loop) {
      miss(loop, "nobody knows before an iteration whether it is the last");
    });
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    // Beside storage that all loops read.
    SmallVector<int64_t> reserved(loops.size(), 0);
    if (fixed)
      reserved = reserveSlots(loops, block);
    SmallVector<std::pair<scf::ForOp, int64_t>> rings;
    for (auto [loop, ofLater] : llvm::zip_equal(loops, reserved)) {
      // Copies that go on by themselves need somebody who performs them.
      if (description && !description.getUnitOfKind(target::UnitKind::DMA)) {
        miss(loop, "nothing on '" + description.getChip() +
                       "' copies beside the threads");
        continue;
      }
      int64_t slots = stages ? stages.getValue() : share.slots;
      if (int64_t wanted = wantedStages(loop))
        slots = wanted;
      if (slots < 2)
        continue;
      LoopWrites writes(loop);
      index::Analysis scalars;
      tile::AxisAnalysis facts(scalars);
      SmallVector<Staged> found;
      Operation *declined = nullptr;
      std::string reason;
      int64_t slot = 0;
      bool isRead = false;
      for (Operation &op : *loop.getBody()) {
        if (!isTileLoad(&op))
          continue;
        std::string why;
        auto staged = stagedLoad(&op, loop, block, facts,
                                 /*takesNumbers=*/false, why);
        if (Operation *write = staged ? writes.findConflict(&op) : nullptr) {
          staged.reset();
          why = "an earlier iteration may write what it reads, at " +
                target::locationString(write->getLoc());
        }
        if (staged) {
          found.push_back(*staged);
          slot += llvm::alignTo(staged->bytes, staged->align);
          isRead |= staged->isRead();
        } else if (!declined) {
          declined = &op;
          reason = std::move(why);
        }
      }
      if (found.empty()) {
        miss(loop, declined ? reason : "it loads no tile", declined);
        continue;
      }
      // Two slots are worth more than a second block of threads.
      if (!bytes && 2 * slot > most && most == share.bytes)
        most = share.whole;
      // Where all rings do not fit side by side, loops that follow each other
      // have theirs in the same bytes.
      int64_t before = 0;
      if (2 * slot > most)
        most += before = bytesBefore(loop, rings);
      while (slots > 2 && slot * slots > most - ofLater)
        --slots;
      if (slot * slots > most) {
        miss(loop, "two slots of " + Twine(slot) + " bytes do not fit into " +
                       Twine(most));
        most -= before;
        rings.push_back({loop, before});
        continue;
      }
      if (slots < wantedStages(loop))
        miss(loop,
             "there is room for " + Twine(slots) + " slots of " + Twine(slot) +
                 " bytes",
             nullptr, /*isPart=*/true);
      addNumbers(loop, block, facts, writes, slots, most - ofLater, slot,
                 found);
      before = std::max(before, slot * slots);
      most -= before;
      rings.push_back({loop, before});
      // Nothing in the loop writes what is copied: all copies go at the first
      // load, and so through one ring, with one barrier.
      Operation *first = found.front().load;
      for (Staged &staged : found) {
        target::Report::of(&getContext())
            .chose(staged.load, "lowering",
                   description ? description.getName() : "", "ring",
                   Twine(slots) + " slots of " + Twine(slot) + " bytes");
        stage(staged, moveNeedsBefore(staged.load, first) ? first : staged.load,
              description, lanes);
      }
      for (Staged &staged : found)
        if (staged.load->use_empty())
          staged.load->erase();
      loadAhead(loop, writes);
      loop->setAttr(stage::kDepthAttr, Builder(loop).getI64IntegerAttr(slots));
      // A product may go on reading its slot while the next one begins, where
      // that leaves two slots that are filled.
      if (isRead && slots >= 4)
        loop->setAttr(stage::kAheadAttr,
                      Builder(loop).getI64IntegerAttr(slots - 2));
    }
    storeFactors(kernel);
  }

private:
  /// Copies left factors that a loop does not change to where instructions of
  /// the loop read them. Returns their bytes.
  static int64_t stageFixed(tile::KernelOp kernel, const BlockShape &block,
                            target::TargetAttr description, int64_t lanes) {
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
      if (!staged || !boxOf(load))
        continue; // products write what they read by themselves
      bytes += llvm::alignTo(staged->bytes, staged->align);
      stage(*staged, load, description, lanes);
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

  /// The bytes of two slots of each loop behind a loop, which it leaves to
  /// them.
  static SmallVector<int64_t> reserveSlots(ArrayRef<scf::ForOp> loops,
                                           const BlockShape &block) {
    SmallVector<int64_t> slots, later(loops.size(), 0);
    for (size_t i = 0; i < loops.size(); ++i) {
      scf::ForOp loop = loops[i];
      LoopWrites writes(loop);
      index::Analysis scalars;
      tile::AxisAnalysis facts(scalars);
      int64_t slot = 0;
      // A loop around one that has slots gets none.
      bool isAround = llvm::any_of(llvm::seq(i), [&](size_t inner) {
        return slots[inner] && loop->isAncestor(loops[inner]);
      });
      for (Operation &op : *loop.getBody()) {
        std::string why;
        if (isAround || !isTileLoad(&op))
          continue;
        auto staged = stagedLoad(&op, loop, block, facts,
                                 /*takesNumbers=*/false, why);
        if (staged && !writes.findConflict(&op))
          slot += llvm::alignTo(staged->bytes, staged->align);
      }
      slots.push_back(slot);
      for (size_t before = 0; before < i; ++before)
        later[before] += 2 * slot;
    }
    return later;
  }

  /// Adds loads that are no factors where the slots have room for them: copies
  /// run as many iterations ahead as those of factors do, which registers
  /// would not hold.
  static void addNumbers(scf::ForOp loop, const BlockShape &block,
                         tile::AxisAnalysis &facts, const LoopWrites &writes,
                         int64_t slots, int64_t most, int64_t &slot,
                         SmallVectorImpl<Staged> &found) {
    for (Operation &op : *loop.getBody()) {
      std::string why;
      if (!isTileLoad(&op) ||
          llvm::is_contained(
              llvm::map_range(found, [](Staged &one) { return one.load; }),
              &op))
        continue;
      auto staged = stagedLoad(&op, loop, block, facts,
                               /*takesNumbers=*/true, why);
      if (!staged || !boxOf(&op) || writes.findConflict(&op))
        continue;
      int64_t more = slot + llvm::alignTo(staged->bytes, staged->align);
      if (more * slots > most)
        continue;
      slot = more;
      found.push_back(*staged);
    }
    llvm::sort(found, [](const Staged &a, const Staged &b) {
      return a.load->isBeforeInBlock(b.load);
    });
  }

  /// Requests loads of numbers that products do not take as they are an
  /// iteration early, as far as registers for them are well spent.
  void loadAhead(scf::ForOp loop, const LoopWrites &writes) {
    // Of a thread, bytes.
    constexpr int64_t kMostBytes = 96;
    int64_t left = kMostBytes;
    for (Operation &op : *loop.getBody()) {
      auto access = dyn_cast<ViewAccessOpInterface>(&op);
      auto pointers = dyn_cast<tile::LoadPtrOp>(&op);
      if ((!pointers && !(access && access.isRead())) ||
          op.getNumResults() != 1 || isVolatile(&op) ||
          !isKnownEarly(&op, loop) || writes.findConflict(&op))
        continue;
      Type type = op.getResult(0).getType();
      LayoutAttr layout = getLayout(op.getResult(0));
      int64_t bytes = (layout ? layout.getNumRegisters() : 1) *
                      ThreadBuilder::storedBytes(ThreadBuilder::scalarType(
                          getElementTypeOrSelf(type)));
      if (bytes > left)
        continue;
      left -= bytes;
      op.setAttr(stage::kAtAttr,
                 stage::AtAttr::get(&getContext(), stage::kBeforeUsers, 0));
    }
  }

  /// Says why a loop does not have what its hint, or a schedule script, asks
  /// for. Of kernels with variants these say it.
  void miss(Operation *loop, const Twine &reason, Operation *at = nullptr,
            bool isPart = false) {
    int64_t wanted = wantedStages(loop);
    std::optional<target::Asked> asked = target::findAsked(loop, "stages");
    if (wanted < 2 || getOperation()->hasAttr(tile::kVariantsAttr))
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

  /// Reads storage as a tile. One of a single dimension is a row of it.
  static Value readAs(OpBuilder &b, Location loc, RankedTensorType type,
                      Value storage) {
    if (type.getRank() == 2)
      return stage::ReadOp::create(b, loc, type, storage, ValueRange());
    auto layout = cast<LayoutAttr>(type.getEncoding());
    auto inRow = [](SmallVector<LayoutAttr::Basis> bases) {
      for (LayoutAttr::Basis &basis : bases)
        basis.insert(basis.begin(), 0);
      return bases;
    };
    auto row = RankedTensorType::get(
        {1, type.getDimSize(0)}, type.getElementType(),
        LayoutAttr::get(b.getContext(), 2, inRow(layout.getRegisterBases()),
                        inRow(layout.getLaneBases(0)),
                        inRow(layout.getWarpBases(0))));
    Value read = stage::ReadOp::create(b, loc, row, storage, ValueRange());
    return tile::ReshapeOp::create(b, loc, type, read);
  }

  /// Copies a load's block at `place`, and reads it where it is multiplied.
  static void stage(Staged &staged, Operation *place,
                    target::TargetAttr description, int64_t lanes) {
    OpBuilder b(place);
    Location loc = staged.load->getLoc();
    auto type = cast<RankedTensorType>(staged.load->getResult(0).getType());
    Attribute permute = b.getI64IntegerAttr(staged.dim);
    if (staged.isRead())
      permute = permuteOf(staged.swizzle, staged.dim);
    else if (int64_t unit =
                 type.getRank() < 2
                     ? kCopyBytes
                     : permutedBytes(
                           staged.factor(), staged.dim, description, lanes,
                           warpsOf(place->getParentOfType<tile::KernelOp>()));
             unit != kCopyBytes)
      permute = b.getDenseI64ArrayAttr({staged.dim, unit});
    auto space = stage::SpaceAttr::get(b.getContext(),
                                       sharedSpaceOf(description), permute);
    SmallVector<int64_t> shape(2 - type.getRank(), 1);
    llvm::append_range(shape, type.getShape());
    auto storage = MemRefType::get(shape, type.getElementType(),
                                   MemRefLayoutAttrInterface(), space);
    auto alloc = stage::AllocOp::create(b, loc, storage,
                                        b.getI64IntegerAttr(staged.align),
                                        IntegerAttr(), IntegerAttr());
    if (auto box = boxOf(staged.load)) {
      SmallVector<Value> coords;
      for (OpFoldResult offset : box->offsets)
        coords.push_back(getValueOrCreateConstantIndexOp(b, loc, offset));
      stage::CopyOp::create(
          b, loc, /*token=*/Type(), box->view, coords, alloc, ValueRange(),
          /*pad=*/Value(), UnitAttr(),
          box->countsBlocks ? UnitAttr() : b.getUnitAttr(), UnitAttr(),
          DenseI64ArrayAttr(),
          tile::PaddingAttr::get(b.getContext(), tile::Padding::zero));
    } else {
      // What is looked up keeps its layout: it says which thread moves what.
      Operation *moved = b.clone(*staged.load);
      stage::WriteOp::create(b, loc, moved->getResult(0), alloc, ValueRange());
    }
    // Every user reads for itself.
    SmallVector<Value> factors = {staged.load->getResult(0)};
    for (ConvertLayoutOp convert : staged.converts)
      factors.push_back(convert.getResult());
    for (Value factor : factors) {
      Operation *made = factor.getDefiningOp();
      for (OpOperand &use : llvm::make_early_inc_range(factor.getUses())) {
        if (llvm::is_contained(staged.converts, use.getOwner()))
          continue;
        Operation *user = moveToProduct(use.getOwner());
        b.setInsertionPoint(user->getBlock() == made->getBlock() ||
                                    isMemoryProduct(user, description)
                                ? user
                                : made);
        use.set(
            readAs(b, loc, cast<RankedTensorType>(factor.getType()), alloc));
      }
    }
    for (ConvertLayoutOp convert : staged.converts)
      convert.erase();
  }
};
} // namespace

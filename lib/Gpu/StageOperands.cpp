//===- StageOperands.cpp - Factors of products in memory of the block -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelWalk.h"
#include "LayoutChoice.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Gpu/Passes.h"
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
/// A load that becomes storage: the load, the change of layout behind it, and
/// the dimension whose elements lie side by side.
struct Staged {
  tile::LoadOp load;
  ConvertLayoutOp convert;
  int dim;
  int64_t bytes;
};

/// Whether something in a loop may write memory of the launch.
bool writesMemory(scf::ForOp loop) {
  auto effects = getEffectsRecursively(loop);
  return !effects || llvm::any_of(*effects, [](const auto &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           !isa<LaunchOutput>(effect.getResource());
  });
}

/// Whether a tile reaches a product by a matrix instruction as a factor, its
/// dimensions transposed at most.
bool feedsProduct(Value tile) {
  if (!tile.hasOneUse())
    return false;
  Operation *user = *tile.getUsers().begin();
  if (isa<tile::TransposeOp>(user))
    return feedsProduct(user->getResult(0));
  auto product = dyn_cast<MatrixProductOpInterface>(user);
  return product && user->hasAttr(kRowAttr) &&
         (!product.getAccOperand() || product.getAccOperand()->get() != tile);
}

/// Moves what a copy needs of its iteration before an operation, if nothing of
/// it has effects.
bool moveNeedsBefore(tile::LoadOp load, Operation *before) {
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

/// Moves the transposition between a factor and its product to the product,
/// and returns what reads the factor first.
Operation *moveToProduct(Value factor) {
  Operation *user = *factor.getUsers().begin();
  if (!isa<tile::TransposeOp>(user))
    return user;
  Operation *next = moveToProduct(user->getResult(0));
  if (next->getBlock() != user->getBlock())
    return user;
  user->moveBefore(next);
  return user;
}

std::optional<Staged> stagedLoad(tile::LoadOp load, tile::AxisAnalysis &facts) {
  auto type = cast<RankedTensorType>(load.getType());
  bool isZero =
      load.getPadding() == tile::Padding::zero ||
      load.getPadding() == tile::Padding::any ||
      (load.getPad() && (matchPattern(load.getPad(), m_Zero()) ||
                         matchPattern(load.getPad(), m_PosZeroFloat())));
  if (load.getIsVolatile() || load.getStep() || !load->hasOneUse() || !isZero ||
      type.getRank() != 2)
    return std::nullopt;
  auto convert = dyn_cast<ConvertLayoutOp>(*load->getUsers().begin());
  if (!convert || convert->getBlock() != load->getBlock() ||
      !feedsProduct(convert.getResult()))
    return std::nullopt;
  for (int64_t size : type.getShape())
    if (!llvm::isPowerOf2_64(size))
      return std::nullopt;
  auto access = cast<ViewAccessOpInterface>(load.getOperation());
  Contiguity along = contiguityOf(access, facts);
  int64_t each = ThreadBuilder::storedBytes(type.getElementType());
  if (along.dim < 0 || along.count * each < 4 ||
      !isa<FloatType, IntegerType>(type.getElementType()) ||
      type.getElementTypeBitWidth() < 8)
    return std::nullopt;
  // Rows of at least one chunk of 16 bytes.
  if (type.getDimSize(along.dim) * each < 16)
    return std::nullopt;
  return Staged{load, convert, along.dim, type.getNumElements() * each};
}

/// What a kernel's storage may take of the block's memory, and how many slots
/// rings have where nobody says: a block that a core's registers let be alone
/// has more of both than one that another can take turns with.
struct Share {
  int64_t bytes, slots;
  int64_t whole; ///< what a block that is alone may take
};
Share shareOf(tile::KernelOp kernel, target::TargetAttr description) {
  // For exchanges beside the rings, and what the machine keeps.
  constexpr int64_t kOther = 8 << 10;
  // Addresses, fragments and other numbers of a thread beside its sums.
  constexpr int64_t kRegisters = 72;
  int64_t whole = 48 << 10, registers = 0;
  if (description) {
    if (target::MemoryAttr shared = description.getMemory(kSharedSpace))
      whole = shared.getSize() ? shared.getSize() : whole;
    if (DictionaryAttr extra = description.getExtra())
      if (auto count = extra.getAs<IntegerAttr>("registers_per_core"))
        registers = count.getInt();
  }
  int64_t sums = 0, threads = 128;
  kernel.walk([&](MatrixProductOpInterface product) {
    Value sum = product->getResult(0);
    if (LayoutAttr layout = getLayout(sum))
      sums = std::max(sums, layout.getNumRegisters());
  });
  if (auto warps = kernel->getAttrOfType<IntegerAttr>(kWarpsAttr))
    threads = 32 * warps.getInt();
  bool isAlone = registers && registers < 2 * threads * (sums + kRegisters);
  return isAlone ? Share{whole - kOther, 4, whole - kOther}
                 : Share{whole / 2 - kOther / 4, 3, whole - kOther};
}

struct SimtStageOperands
    : simt::impl::SimtStageOperandsBase<SimtStageOperands> {
  using Base::Base;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    target::TargetAttr description = target::getDescription(kernel);
    // Copies that go on by themselves need somebody who performs them.
    if (description && !description.getUnitOfKind(target::UnitKind::DMA))
      return;
    Share share = shareOf(kernel, description);
    int64_t most = bytes ? bytes.getValue() : share.bytes;
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      int64_t slots = stages ? stages.getValue() : share.slots;
      if (auto hints =
              loop->getAttrOfType<tile::LoopHintsAttr>(tile::kLoopHintsAttr))
        if (hints.getStages())
          slots = hints.getStages();
      if (slots < 2 || writesMemory(loop))
        continue;
      index::Analysis scalars;
      tile::AxisAnalysis facts(scalars);
      SmallVector<Staged> found;
      int64_t slot = 0;
      for (auto load : loop.getBody()->getOps<tile::LoadOp>())
        if (auto staged = stagedLoad(load, facts)) {
          found.push_back(*staged);
          slot += llvm::alignTo(staged->bytes, 128);
        }
      // Two slots are worth more than a second block of threads.
      if (!bytes && 2 * slot > most && most == share.bytes)
        most = share.whole;
      while (slots > 2 && slot * slots > most)
        --slots;
      if (found.empty() || slot * slots > most)
        continue;
      most -= slot * slots;
      // Nothing in the loop writes memory: all copies go at the first load, and
      // so through one ring, with one barrier.
      Operation *first = found.front().load;
      for (Staged &staged : found)
        stage(staged, moveNeedsBefore(staged.load, first)
                          ? first
                          : staged.load.getOperation());
      for (Staged &staged : found)
        staged.load.erase();
      loop->setAttr("stage.depth", Builder(loop).getI64IntegerAttr(slots));
    }
  }

private:
  /// Copies a load's block at `place`, and reads it where it is multiplied.
  static void stage(Staged &staged, Operation *place) {
    OpBuilder b(place);
    Location loc = staged.load.getLoc();
    auto type = cast<RankedTensorType>(staged.load.getType());
    auto space = stage::SpaceAttr::get(b.getContext(), kSharedSpace,
                                       b.getI64IntegerAttr(staged.dim));
    auto storage = MemRefType::get(type.getShape(), type.getElementType(),
                                   MemRefLayoutAttrInterface(), space);
    auto alloc =
        stage::AllocOp::create(b, loc, storage, b.getI64IntegerAttr(128),
                               IntegerAttr(), IntegerAttr());
    stage::CopyOp::create(
        b, loc, /*token=*/Type(), staged.load.getView(),
        staged.load.getCoords(), alloc, ValueRange(), /*pad=*/Value(),
        UnitAttr(), staged.load.getElementOffsetsAttr(), UnitAttr(),
        DenseI64ArrayAttr(),
        tile::PaddingAttr::get(b.getContext(), tile::Padding::zero));
    Operation *user = moveToProduct(staged.convert.getResult());
    b.setInsertionPoint(
        user->getBlock() == staged.convert->getBlock() ? user : staged.convert);
    Value read = stage::ReadOp::create(b, loc, staged.convert.getType(), alloc,
                                       ValueRange());
    staged.convert.getResult().replaceAllUsesWith(read);
    staged.convert.erase();
  }
};
} // namespace

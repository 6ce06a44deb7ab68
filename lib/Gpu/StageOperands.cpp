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

std::optional<Staged> stagedLoad(tile::LoadOp load, index::Analysis &facts) {
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

struct SimtStageOperands
    : simt::impl::SimtStageOperandsBase<SimtStageOperands> {
  using Base::Base;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    target::TargetAttr description = target::getDescription(kernel);
    // Copies that go on by themselves need somebody who performs them.
    if (description && !description.getUnitOfKind(target::UnitKind::DMA))
      return;
    int64_t most = bytes;
    if (!most) {
      most = 48 << 10;
      if (description)
        if (target::MemoryAttr shared = description.getMemory(kSharedSpace))
          most = shared.getSize() ? shared.getSize() / 2 : most;
    }
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      int64_t slots = stages;
      if (auto hints =
              loop->getAttrOfType<tile::LoopHintsAttr>(tile::kLoopHintsAttr))
        if (hints.getStages())
          slots = hints.getStages();
      if (slots < 2 || writesMemory(loop))
        continue;
      index::Analysis facts;
      SmallVector<Staged> found;
      int64_t slot = 0;
      for (auto load : loop.getBody()->getOps<tile::LoadOp>())
        if (auto staged = stagedLoad(load, facts)) {
          found.push_back(*staged);
          slot += llvm::alignTo(staged->bytes, 128);
        }
      while (slots > 2 && slot * slots > most)
        --slots;
      if (found.empty() || slot * slots > most)
        continue;
      most -= slot * slots;
      for (Staged &staged : found)
        stage(staged);
      loop->setAttr("stage.depth", Builder(loop).getI64IntegerAttr(slots));
    }
  }

private:
  static void stage(Staged &staged) {
    OpBuilder b(staged.load);
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
    b.setInsertionPoint(staged.convert);
    Value read = stage::ReadOp::create(b, loc, staged.convert.getType(), alloc,
                                       ValueRange());
    staged.convert.getResult().replaceAllUsesWith(read);
    staged.convert.erase();
    staged.load.erase();
  }
};
} // namespace

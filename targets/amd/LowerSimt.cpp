//===- LowerSimt.cpp - simt operations and what a launch needs ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerOps.h"
#include "Passes.h"
#include "Serialize.h"
#include "WaitCounts.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Gpu/Lowering.h"
#include "kiln/Interfaces/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// The back end's name of a scope (LLVM's AMDGPU guide, "Memory Scopes").
static StringRef nameOf(tile::MemoryScope scope) {
  switch (scope) {
  case tile::MemoryScope::instance:
    return "workgroup";
  case tile::MemoryScope::device:
    return "agent";
  case tile::MemoryScope::system:
    return "";
  }
  llvm_unreachable("unknown scope");
}

/// Lanes of a wave run in step: what is left to do is to keep the compiler from
/// moving accesses over the barrier.
static void lowerWarpBarrier(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::release, "wavefront");
  LLVM::CallIntrinsicOp::create(
      b, loc, b.getStringAttr("llvm.amdgcn.wave.barrier"), ValueRange());
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acquire, "wavefront");
}

/// Whether no barrier of the loop around it comes before: accesses of the
/// iteration before may be in flight there. Earlier barriers are lowered.
static bool isFirstOfLoop(Operation *op) {
  auto isBarrier = [](Operation &other) {
    auto call = dyn_cast<LLVM::CallIntrinsicOp>(other);
    return isa<gpu::BarrierOp>(other) ||
           (call && call.getIntrin() == "llvm.amdgcn.s.barrier");
  };
  for (Operation *at = op; !isa<LLVM::LLVMFuncOp>(at); at = at->getParentOp()) {
    if (isa<LoopLikeOpInterface>(at))
      return true;
    Block *block = at->getBlock();
    if (llvm::any_of(llvm::make_range(block->begin(), at->getIterator()),
                     isBarrier))
      return false;
  }
  return false;
}

/// Waits for the wave's own accesses to LDS.
static void waitForShared(OpBuilder &b, Location loc, const Chip &chip) {
  if (chip.family == Family::RDNA4) {
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.amdgcn.s.wait.dscnt"),
        ValueRange{arith::ConstantIntOp::create(b, loc, 0, 16)});
    return;
  }
  ROCDL::SWaitcntOp::create(
      b, loc, chip.isCdna() ? waitFor(kAny, /*local=*/0) : kNoSharedOnRdna3);
}

/// A barrier that orders accesses to LDS alone: its fences name that memory
/// (LLVM's AMDGPU guide, "Memory Model Relaxation Annotations"), so that loads
/// of global memory stay in flight across it. LLVM makes waits of fences before
/// it knows what the end of a loop leaves in flight, and drops those at its
/// beginning: they are said there.
static void lowerBarrier(simt::BarrierOp op, const Chip *chip, OpBuilder &b) {
  Location loc = op.getLoc();
  if (chip && isFirstOfLoop(op))
    waitForShared(b, loc, *chip);
  if (op.getMemories() == simt::Memories::All) {
    gpu::BarrierOp::create(b, loc);
    return;
  }
  auto local =
      LLVM::MMRATagAttr::get(b.getContext(), "amdgpu-synchronize-as", "local");
  auto fence = [&](LLVM::AtomicOrdering ordering) {
    LLVM::FenceOp::create(b, loc, ordering, "workgroup")
        ->setDiscardableAttr(LLVM::LLVMDialect::getMmraAttrName(), local);
  };
  fence(LLVM::AtomicOrdering::release);
  LLVM::CallIntrinsicOp::create(
      b, loc, b.getStringAttr("llvm.amdgcn.s.barrier"), ValueRange());
  fence(LLVM::AtomicOrdering::acquire);
}

/// What LLVM must know to use the instructions for atomic additions of floats:
/// buffers are memory of the device itself.
static void sayWhereMemoryIs(LLVM::AtomicRMWOp op, OpBuilder &b) {
  op->setAttr("rocdl.no_fine_grained_memory", b.getUnitAttr());
  op->setAttr("rocdl.no_remote_memory", b.getUnitAttr());
}

namespace {
struct LowerSimt : PassWrapper<LowerSimt, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerSimt)
  StringRef getName() const final { return "AmdLowerSimt"; }
  StringRef getArgument() const override { return "amd-lower-simt"; }
  StringRef getDescription() const override {
    return "Lowers simt operations to AMDGPU intrinsics, and sets the launch "
           "attributes of kernels";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    ROCDL::ROCDLDialect>();
  }

  void runOnOperation() override {
    boundLoops(getOperation());
    OpBuilder b(&getContext());
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<LLVM::LLVMFuncOp>()))
      lowerAttributes(function, b);
    if (auto shared =
            getOperation().lookupSymbol<LLVM::GlobalOp>(simt::kSharedSymbol))
      shared.erase();
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<simt::SimtDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      if (simt::lowerAtomic(op, nameOf))
        continue;
      if (failed(lower(op, b)))
        return signalPassFailure();
      op->erase();
    }
    getOperation().walk(
        [&](LLVM::AtomicRMWOp atomic) { sayWhereMemoryIs(atomic, b); });
  }

private:
  static LogicalResult lower(Operation *op, OpBuilder &b) {
    if (auto mma = dyn_cast<simt::MmaOp>(op)) {
      const Chip *chip = chipOf(op->getParentOfType<ModuleOp>());
      return chip ? lowerMma(mma, *chip, b) : failure();
    }
    if (auto load = dyn_cast<simt::LoadMatrixOp>(op))
      return lowerLoadMatrix(load, b);
    if (isa<simt::WarpBarrierOp>(op))
      return lowerWarpBarrier(op, b), success();
    if (auto barrier = dyn_cast<simt::BarrierOp>(op))
      return lowerBarrier(barrier, chipOf(op->getParentOfType<ModuleOp>()), b),
             success();
    if (auto same = dyn_cast<simt::UniformOp>(op))
      return same.replaceAllUsesWith(same.getValue()), success();
    if (auto output = dyn_cast<simt::OutputOp>(op))
      return lowerOutput(output, b), success();
    if (auto stop = dyn_cast<simt::StopOp>(op))
      return lowerStop(stop, b), success();
    if (auto assembly = dyn_cast<simt::InlineAsmOp>(op))
      return amd::lowerInlineAsm(assembly, b);
    return op->emitError("unsupported: ")
           << op->getName() << ", which chips of the target amd have no "
           << "instruction for";
  }

  void lowerAttributes(LLVM::LLVMFuncOp function, OpBuilder &b) {
    simt::ThreadBlockAttr block = simt::getThreadBlock(function);
    if (!block)
      return;
    auto count = int32_t(block.getThreads());
    placeInGrid(function, b);
    std::string range = std::to_string(count) + "," + std::to_string(count);
    function->setAttr("rocdl.kernel", b.getUnitAttr());
    function->setAttr("rocdl.flat_work_group_size", b.getStringAttr(range));
    function->setAttr("rocdl.reqd_work_group_size",
                      b.getDenseI32ArrayAttr({count, 1, 1}));
    function->removeAttr(simt::kBlockAttr);
    if (block.getCooperative())
      simt::setDecided(function, simt::kCooperativeEntry, b.getUnitAttr());
    if (auto numerics =
            dyn_cast_or_null<tile::NumericsAttr>(block.getNumerics()))
      if (numerics.getFtz())
        function.setDenormalFpMathF32("preserve-sign,preserve-sign");
    giveLds(function, block.getSharedBytes(), b);
  }

  /// Drivers launch the logical grid as it is: its extents, which end the
  /// parameters, are those of the launch.
  static void placeInGrid(LLVM::LLVMFuncOp function, OpBuilder &b) {
    constexpr unsigned kAxes = 3;
    SmallVector<gpu::GridDimOp> extents;
    function.walk([&](gpu::GridDimOp op) { extents.push_back(op); });
    for (gpu::GridDimOp op : extents) {
      b.setInsertionPoint(op);
      unsigned at =
          function.getNumArguments() - kAxes + unsigned(op.getDimension());
      op.replaceAllUsesWith(
          arith::IndexCastUIOp::create(b, op.getLoc(), b.getIndexType(),
                                       function.getArgument(at))
              .getResult());
      op.erase();
    }
  }

  /// LDS of the kernel's own, so that its descriptor says how much there is.
  void giveLds(LLVM::LLVMFuncOp function, int64_t bytes, OpBuilder &b) {
    constexpr uint64_t kAlignment = 128;
    LLVM::GlobalOp lds;
    function.walk([&](LLVM::AddressOfOp op) {
      if (op.getGlobalName() != simt::kSharedSymbol)
        return;
      if (!lds) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(getOperation().getBody());
        lds = LLVM::GlobalOp::create(
            b, function.getLoc(),
            LLVM::LLVMArrayType::get(b.getI8Type(), uint64_t(bytes)),
            /*isConstant=*/false, LLVM::Linkage::Internal,
            (function.getSymName() + "_lds").str(), Attribute(), kAlignment,
            simt::kShared);
      }
      op.setGlobalName(lds.getSymName());
    });
  }
};
} // namespace

std::unique_ptr<Pass> amd::createLowerSimtPass() {
  return std::make_unique<LowerSimt>();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What upstream has patterns for goes through them; matrix instructions and
// the attributes of kernels are done here.
#include "@Name@.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Gpu/Lowering.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace kiln;

namespace {

/// The numbers that a lane has of a fragment, as one vector.
Value vectorOf(OpBuilder &b, Location loc, ValueRange values) {
  if (values.size() == 1)
    return values[0];
  Type type = VectorType::get({int64_t(values.size())}, values[0].getType());
  Value all = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    all = LLVM::InsertElementOp::create(
        b, loc, all, value,
        LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(i))));
  return all;
}

/// The names that this back end has for scopes.
StringRef scopeName(tile::MemoryScope scope) {
  return scope == tile::MemoryScope::instance ? "workgroup"
         : scope == tile::MemoryScope::device ? "agent"
                                              : "";
}

/// A copy by way of registers, whole or, where a number of bytes is valid, byte
/// by byte. The accesses may still be masked.
void lowerCopy(simt::CopyAsyncOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value valid = op.getValid();
  bool isWhole = !valid || valid.getType().isInteger(1);
  auto move = [&](int64_t at, Type type, int64_t bytes, Value isValid) {
    auto place = [&](Value base) -> Value {
      return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                                 LLVM::GEPArg(int32_t(at)));
    };
    Value reads = isValid && op.getMask()
                      ? arith::AndIOp::create(b, loc, isValid, op.getMask())
                  : isValid ? isValid
                            : op.getMask();
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    Value moved = simt::LoadOp::create(
        b, loc, type, place(op.getSource()), reads, reads ? zero : Value(),
        bytes, /*isVolatile=*/false, tile::CacheHint::none,
        tile::EvictHint::normal);
    simt::StoreOp::create(b, loc, moved, place(op.getTarget()), op.getMask(),
                          bytes, /*isVolatile=*/false, tile::CacheHint::none,
                          tile::EvictHint::normal);
  };
  int64_t bytes = int64_t(op.getBytes());
  if (isWhole) {
    move(0, VectorType::get({bytes / 4}, b.getI32Type()), bytes, valid);
  } else {
    for (int64_t i = 0; i < bytes; ++i) {
      Value number =
          arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(i)));
      move(i, b.getI8Type(), 1,
           arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number,
                                 valid));
    }
  }
  op.erase();
}

/// The larger or the smaller number by an instruction that orders zeros by
/// their sign, as Kiln's operations do, and NaN where one is NaN. Upstream's
/// arith-expand takes zeros for equal.
template <typename Extreme, typename Instruction>
void lowerExtreme(Extreme op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value lhs = op.getLhs(), rhs = op.getRhs();
  Value number = Instruction::create(b, loc, op.getType(), lhs, rhs);
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, lhs, rhs);
  Value sum = arith::AddFOp::create(b, loc, lhs, rhs);
  op.replaceAllUsesWith(
      arith::SelectOp::create(b, loc, isNaN, sum, number).getResult());
  op.erase();
}

/// Rings without a copy unit: a thread waits for its own loads when it stores
/// what they bring, so nothing is in flight behind a copy.
struct LowerCopies : PassWrapper<LowerCopies, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerCopies)
  StringRef getArgument() const final { return "@name@-lower-copies"; }
  StringRef getDescription() const final { return "Copies by registers"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect>();
  }

  void runOnOperation() final {
    SmallVector<simt::CopyAsyncOp> copies;
    SmallVector<Operation *> waits;
    getOperation().walk([&](Operation *op) {
      if (auto copy = dyn_cast<simt::CopyAsyncOp>(op))
        copies.push_back(copy);
      if (isa<simt::CommitCopiesOp, simt::WaitCopiesOp>(op))
        waits.push_back(op);
    });
    llvm::for_each(copies, lowerCopy);
    for (Operation *op : waits)
      op->erase();
  }
};

/// Extremes of numbers, before arith-expand.
struct LowerExtremes : PassWrapper<LowerExtremes, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerExtremes)
  StringRef getArgument() const final { return "@name@-lower-extremes"; }
  StringRef getDescription() const final { return "Maxima and minima"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() final {
    SmallVector<arith::MaximumFOp> most;
    SmallVector<arith::MinimumFOp> least;
    getOperation().walk([&](Operation *op) {
      if (auto one = dyn_cast<arith::MaximumFOp>(op))
        most.push_back(one);
      if (auto one = dyn_cast<arith::MinimumFOp>(op))
        least.push_back(one);
    });
    llvm::for_each(most, lowerExtreme<arith::MaximumFOp, LLVM::MaxNumOp>);
    llvm::for_each(least, lowerExtreme<arith::MinimumFOp, LLVM::MinNumOp>);
  }
};

/// The number of blocks along x, from what the launch says of its threads: a
/// library call would need a library.
void lowerGridDim(gpu::GridDimOp op, int64_t threads) {
  constexpr int32_t kThreadsAlongX = 12; // bytes, in HSA's dispatch packet
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value packet = LLVM::CallIntrinsicOp::create(
                     b, loc, LLVM::LLVMPointerType::get(b.getContext(), 4),
                     b.getStringAttr("llvm.amdgcn.dispatch.ptr"), ValueRange())
                     .getResult(0);
  Value place = LLVM::GEPOp::create(b, loc, packet.getType(), b.getI8Type(),
                                    packet, LLVM::GEPArg(kThreadsAlongX));
  Value all = LLVM::LoadOp::create(b, loc, b.getI32Type(), place, 4);
  Value each =
      arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(threads)));
  op.replaceAllUsesWith(
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(),
                                   arith::DivUIOp::create(b, loc, all, each))
          .getResult());
  op.erase();
}

/// One register for all lanes.
void lowerUniform(simt::UniformOp op) {
  OpBuilder b(op);
  op.replaceAllUsesWith(ROCDL::ReadfirstlaneOp::create(
                            b, op.getLoc(), op.getType(), op.getValue())
                            .getResult());
  op.erase();
}

/// Lanes of a wave run in step, so that nothing waits: the compiler may not move
/// accesses over it. On a chip whose lanes do not, its instruction stands here.
void lowerWarpBarrier(simt::WarpBarrierOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::release, "wavefront");
  LLVM::CallIntrinsicOp::create(
      b, loc, b.getStringAttr("llvm.amdgcn.wave.barrier"), ValueRange());
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acquire, "wavefront");
  op.erase();
}

void lowerMatrixInstruction(simt::MmaOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> operands = {vectorOf(b, loc, op.getLhs()),
                                 vectorOf(b, loc, op.getRhs()),
                                 vectorOf(b, loc, op.getAcc())};
  // No broadcasts and permutations of blocks.
  for (int i = 0; i < 3; ++i)
    operands.push_back(
        LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(0)));
  Value sum = LLVM::CallIntrinsicOp::create(
                  b, loc, operands[2].getType(),
                  b.getStringAttr("llvm.amdgcn." + op.getRow()), operands)
                  .getResult(0);
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    result.replaceAllUsesWith(LLVM::ExtractElementOp::create(
        b, loc, sum,
        LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(i)))));
  op.erase();
}

struct Lower : PassWrapper<Lower, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Lower)
  StringRef getArgument() const final { return "@name@-lower"; }
  StringRef getDescription() const final { return "Threads to llvm"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect, ROCDL::ROCDLDialect>();
  }

  void runOnOperation() final {
    OpBuilder b(&getContext());
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      simt::ThreadBlockAttr block = simt::getThreadBlock(kernel);
      if (!block)
        continue;
      kernel->setAttr("rocdl.kernel", b.getUnitAttr());
      std::string count = std::to_string(block.getThreads());
      kernel->setAttr("rocdl.flat_work_group_size",
                      b.getStringAttr(count + "," + count));
      SmallVector<gpu::GridDimOp> extents;
      kernel.walk([&](gpu::GridDimOp op) { extents.push_back(op); });
      for (gpu::GridDimOp op : extents)
        lowerGridDim(op, block.getThreads());
    }
    SmallVector<simt::MmaOp> products;
    SmallVector<simt::WarpBarrierOp> barriers;
    SmallVector<Operation *> others;
    getOperation().walk([&](Operation *op) {
      if (auto product = dyn_cast<simt::MmaOp>(op))
        products.push_back(product);
      if (auto barrier = dyn_cast<simt::WarpBarrierOp>(op))
        barriers.push_back(barrier);
      if (isa<simt::AtomicRMWOp, simt::AtomicCASOp, simt::UniformOp>(op))
        others.push_back(op);
    });
    llvm::for_each(products, lowerMatrixInstruction);
    llvm::for_each(barriers, lowerWarpBarrier);
    for (Operation *op : others)
      if (!simt::lowerAtomic(op, scopeName))
        lowerUniform(cast<simt::UniformOp>(op));
    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    populateGpuToROCDLConversionPatterns(types, patterns,
                                         gpu::amd::Runtime::HIP,
                                         *amdgpu::Chipset::parse("gfx942"));
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, ROCDL::ROCDLDialect>();
    target.addIllegalDialect<arith::ArithDialect, math::MathDialect,
                             cf::ControlFlowDialect, gpu::GPUDialect,
                             simt::SimtDialect>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> @name@::createLowerCopiesPass() {
  return std::make_unique<LowerCopies>();
}

std::unique_ptr<Pass> @name@::createLowerExtremesPass() {
  return std::make_unique<LowerExtremes>();
}

std::unique_ptr<Pass> @name@::createLowerPass() {
  return std::make_unique<Lower>();
}

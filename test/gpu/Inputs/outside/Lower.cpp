// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What upstream has patterns for goes through them; matrix instructions and
// the attributes of kernels are done here.
#include "Outside.h"
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

/// One register for all lanes.
void lowerUniform(simt::UniformOp op) {
  OpBuilder b(op);
  op.replaceAllUsesWith(ROCDL::ReadfirstlaneOp::create(
                            b, op.getLoc(), op.getType(), op.getValue())
                            .getResult());
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
  StringRef getArgument() const final { return "outside-lower"; }
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
    }
    SmallVector<simt::MmaOp> products;
    SmallVector<Operation *> others;
    getOperation().walk([&](Operation *op) {
      if (auto product = dyn_cast<simt::MmaOp>(op))
        products.push_back(product);
      if (isa<simt::AtomicRMWOp, simt::AtomicCASOp, simt::UniformOp>(op))
        others.push_back(op);
    });
    llvm::for_each(products, lowerMatrixInstruction);
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

std::unique_ptr<Pass> outside::createLowerPass() {
  return std::make_unique<Lower>();
}

//===- ConvertCpuToLLVM.cpp - Loops over registers to the llvm dialect ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"
#include "MaskedMemory.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Interfaces/Loops.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// Converts what convert-stage-to-cpu emits.
struct ConvertCpuToLLVMPass
    : PassWrapper<ConvertCpuToLLVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertCpuToLLVMPass)
  StringRef getName() const final { return "ConvertCpuToLLVM"; }

  StringRef getArgument() const override { return "convert-cpu-to-llvm"; }
  StringRef getDescription() const override {
    return "Converts lowered kernels to the llvm dialect";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, cf::ControlFlowDialect>();
  }

  void runOnOperation() override {
    MLIRContext &context = getContext();
    expandMaskedMemory(getOperation());
    boundLoops(getOperation());
    {
      RewritePatternSet patterns(&context);
      populateSCFToControlFlowConversionPatterns(patterns);
      ConversionTarget target(context);
      target.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp>();
      target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
      if (failed(applyPartialConversion(getOperation(), target,
                                        std::move(patterns))))
        return signalPassFailure();
    }
    returnWhereKernelsLeave();
    LowerToLLVMOptions lower(&context);
    LLVMTypeConverter converter(&context, lower);
    RewritePatternSet patterns(&context);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorRankReducingFMAPattern(patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(context);
    target.addLegalOp<ModuleOp>();
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
  }

  /// Regions have no way out before their end, blocks have.
  void returnWhereKernelsLeave() {
    SmallVector<LeaveOp> leaves;
    getOperation().walk([&](LeaveOp leave) { leaves.push_back(leave); });
    for (LeaveOp leave : leaves) {
      Block *block = leave->getBlock();
      while (&block->back() != leave)
        block->back().erase();
      OpBuilder b(leave);
      func::ReturnOp::create(b, leave.getLoc());
      leave.erase();
    }
  }
};
} // namespace

std::unique_ptr<Pass> cpu::createConvertCpuToLLVMPass() {
  return std::make_unique<ConvertCpuToLLVMPass>();
}

// The pass: inline, lift control flow, convert.
#include "kiln/Conversion/TritonToTile.h"
#include "Patterns.h"

#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"

namespace kiln {
#define GEN_PASS_DEF_TRITONTOTILE
#include "kiln/Conversion/TritonToTile.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;

namespace {

/// Upstream's lifting, for functions of tt.
struct LiftControlFlow : ControlFlowToSCFTransformation {
  FailureOr<Operation *> createUnreachableTerminator(Location loc,
                                                     OpBuilder &builder,
                                                     Region &) override {
    return tt::ReturnOp::create(builder, loc, ValueRange()).getOperation();
  }
};

/// True if instances of the kernel may wait for each other: a loop whose
/// condition depends on an atomic access or on memory that is read anew.
bool waitsForOthers(tt::FuncOp func) {
  bool waits = false;
  func.walk([&](tt::AtomicPollOp) { waits = true; });
  func.walk([&](scf::WhileOp loop) {
    loop.getBefore().walk([&](Operation *op) {
      if (isa<tt::AtomicCASOp, tt::AtomicRMWOp>(op))
        waits = true;
      if (auto load = dyn_cast<tt::LoadOp>(op))
        waits |= load.getIsVolatile();
    });
  });
  return waits;
}

struct TritonToTile : kiln::impl::TritonToTileBase<TritonToTile> {
  using TritonToTileBase::TritonToTileBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (numerics != "triton" && numerics != "strict") {
      module.emitError("expected numerics 'triton' or 'strict', found '")
          << numerics << "'";
      return signalPassFailure();
    }
    dropForeignAttributes(module);
    // Structured functions can be inlined into loops, too.
    if (failed(liftControlFlow(module)) || failed(inlineCalls(module)))
      return signalPassFailure();
    for (auto func : module.getOps<tt::FuncOp>())
      if (waitsForOthers(func))
        func->setAttr("kiln.concurrent", UnitAttr::get(&getContext()));
    if (failed(convert(module)))
      signalPassFailure();
  }

private:
  /// Module attributes of Triton's GPU dialects say how it would compile the
  /// module for one chip.
  void dropForeignAttributes(ModuleOp module) {
    SmallVector<StringAttr> names;
    for (NamedAttribute attribute : module->getDiscardableAttrs())
      if (attribute.getName().getValue().starts_with("ttg.") ||
          attribute.getName().getValue().starts_with("triton_gpu."))
        names.push_back(attribute.getName());
    for (StringAttr name : names) {
      emitRemark(module.getLoc())
          << "ignored: module attribute '" << name.getValue() << "'";
      module->removeDiscardableAttr(name);
    }
  }

  /// Inlines every call and removes the private functions.
  LogicalResult inlineCalls(ModuleOp module) {
    bool hasCalls = false;
    module.walk([&](tt::CallOp) { hasCalls = true; });
    if (!hasCalls)
      return success();
    for (auto func : module.getOps<tt::FuncOp>())
      func->removeAttr("noinline");
    PassManager pm(&getContext(), ModuleOp::getOperationName());
    pm.addPass(createInlinerPass());
    pm.addPass(createSymbolDCEPass());
    if (failed(runPipeline(pm, module)))
      return failure();
    WalkResult rest = module.walk([](tt::CallOp call) {
      call.emitOpError("unsupported: a call that cannot be inlined (is '")
          << call.getCallee() << "' recursive?)";
      return WalkResult::interrupt();
    });
    return failure(rest.wasInterrupted());
  }

  LogicalResult liftControlFlow(ModuleOp module) {
    LiftControlFlow lifting;
    IRRewriter rewriter(&getContext());
    for (auto func : module.getOps<tt::FuncOp>()) {
      if (func.getBody().empty())
        return func.emitOpError("unsupported: a function without a body");
      // What follows a return is never reached.
      (void)eraseUnreachableBlocks(rewriter, func.getBody());
      DominanceInfo dominance(func);
      if (failed(transformCFGToSCF(func.getBody(), lifting, dominance)))
        return func.emitOpError("unsupported: irreducible control flow");
      if (!llvm::hasSingleElement(func.getBody()))
        return func.emitOpError("unsupported: control flow that cannot be "
                                "lifted to structured form");
    }
    return success();
  }

  LogicalResult convert(ModuleOp module) {
    MLIRContext *context = &getContext();
    triton_to_tile::TypeConverter converter;
    ConversionTarget target(*context);
    target.addIllegalDialect<tt::TritonDialect>();
    target.addIllegalOp<gpu::BarrierOp, LLVM::AssumeOp, ub::PoisonOp>();
    target.addLegalDialect<tile::TileDialect, tensor::TensorDialect>();
    target.addLegalOp<ModuleOp>();
    target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect>(
        [&](Operation *op) { return converter.isLegal(op); });
    RewritePatternSet patterns(context);
    triton_to_tile::populateFunctionPatterns(converter, patterns,
                                             numerics == "strict");
    triton_to_tile::populateShapePatterns(converter, patterns);
    triton_to_tile::populatePointerPatterns(converter, patterns);
    triton_to_tile::populateBlockPatterns(converter, patterns);
    triton_to_tile::populateDescriptorPatterns(converter, patterns);
    triton_to_tile::populateComputePatterns(converter, patterns);
    triton_to_tile::populateExpansionPatterns(converter, patterns);
    triton_to_tile::populateExternPatterns(converter, patterns);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    if (succeeded(applyFullConversion(module, target, std::move(patterns))))
      return success();
    return failure();
  }
};

} // namespace

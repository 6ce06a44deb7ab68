//===- Registration.cpp - Every dialect and pass of the core --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input.h"
#include "Pipeline.h"
#include "kiln/Conversion/PrimToTile.h"
#include "kiln/Conversion/TosaToPrim.h"
#include "kiln/Conversion/TritonToTile.h"
#include "kiln/Cpu/Lowering.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Schedule/Schedules.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Target/Passes.h"
#include "kiln/Target/PluginLoader.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Passes.h"
#include "kiln/Transforms/Prim/Passes.h"
#include "kiln/Transforms/Program/Passes.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"
#include <mutex>

/// Those that the core's own levels and inputs use.
static void registerCoreDialects(mlir::DialectRegistry &registry);

void kiln::driver::initializeCore() {
  static std::once_flag once;
  std::call_once(once, [] {
    target::TargetRegistry &registry = target::TargetRegistry::get();
    registry.setCoreDialects(registerCoreDialects);
    registerExtensionPoints(registry);
    schedule::registerCoreSchedules();
    cpu::registerCpuFamily(registry);
  });
}

bool kiln::driver::initialize(const std::vector<std::string> &loadTargets,
                              const DiagnosticSink &diag) {
  initializeCore();
  return target::loadPlugins(loadTargets, diag);
}

static void registerCoreDialects(mlir::DialectRegistry &registry) {
  using namespace kiln;
  registry.insert<
      // Kiln's own; the target registry adds `kiln` and those of plug-ins.
      prim::PrimDialect, program::ProgramDialect, tile::TileDialect,
      stage::StageDialect,
      // What the levels use.
      mlir::arith::ArithDialect, mlir::func::FuncDialect,
      mlir::math::MathDialect, mlir::memref::MemRefDialect,
      mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
      // What inputs use.
      mlir::affine::AffineDialect, mlir::cf::ControlFlowDialect,
      mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::ub::UBDialect,
      tt::TritonDialect, mlir::linalg::LinalgDialect,
      mlir::ml_program::MLProgramDialect, mlir::quant::QuantDialect,
      mlir::tosa::TosaDialect, mlir::ub::UBDialect, mlir::vector::VectorDialect,
      tt::TritonDialect>();
  mlir::func::registerInlinerExtension(registry);
}

void kiln::driver::registerDialects(mlir::DialectRegistry &registry) {
  registerCoreDialects(registry);
  target::TargetRegistry::get().registerDialects(registry);
}

void kiln::driver::registerInputDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerDialects(registry);
}

bool kiln::driver::isUpstreamDialect(llvm::StringRef dialect) {
  static const llvm::StringSet<> names = [] {
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    llvm::StringSet<> result;
    for (llvm::StringRef name : registry.getDialectNames())
      result.insert(name);
    return result;
  }();
  return names.contains(dialect);
}

void kiln::driver::registerPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    prim::registerPrimPasses();
    tile::registerTilePasses();
    program::registerProgramPasses();
    tiling::registerTilingPasses();
    staging::registerStagingPasses();
    registerKilnTritonToTilePasses();
    registerKilnTosaToPrimPasses();
    registerKilnPrimToTilePasses();
    cpu::registerCpuPasses();
    registerKilnTritonToTilePasses();
    target::registerTargetPasses();
    mlir::registerCanonicalizerPass();
    mlir::registerCSEPass();
    mlir::registerInlinerPass();
    // What passes run inside of themselves, to be named by flags.
    mlir::registerLoopInvariantCodeMotionPass();
    mlir::registerSymbolDCEPass();
    registerPipelines();
  });
}

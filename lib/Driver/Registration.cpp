//===- Registration.cpp - Every dialect and pass of the core --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline.h"
#include "kiln/Conversion/Register.h"
#include "kiln/Cpu/Lowering.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Driver/Passes.h"
#include "kiln/Frontend/Frontend.h"
#include "kiln/Frontend/Passes.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Isolated/IsolatedTarget.h"
#include "kiln/Schedule/Schedules.h"
#include "kiln/Script/Script.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Target/Passes.h"
#include "kiln/Target/PluginLoader.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Passes.h"
#include "kiln/Transforms/Prim/Passes.h"
#include "kiln/Transforms/Program/Passes.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Passes.h"
#include <mutex>

/// Those that the core's own levels use.
static void registerCoreDialects(mlir::DialectRegistry &registry);

void kiln::driver::initializeCore() {
  static std::once_flag once;
  std::call_once(once, [] {
    target::TargetRegistry &registry = target::TargetRegistry::get();
    registry.setCoreDialects(registerCoreDialects);
    registerExtensionPoints(registry);
    frontend::registerLevels();
    registerConversionFrontends();
    schedule::registerCoreSchedules();
    cpu::registerCpuFamily(registry);
    simt::registerGpuFamily(registry);
    isolated::registerIsolatedTargets();
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
      mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  mlir::func::registerInlinerExtension(registry);
}

void kiln::driver::registerDialects(mlir::DialectRegistry &registry) {
  registerCoreDialects(registry);
  target::TargetRegistry::get().registerDialects(registry);
}

void kiln::driver::registerInputDialects(mlir::DialectRegistry &registry) {
  frontend::registerUpstreamDialects(registry);
  registerDialects(registry);
}

void kiln::driver::registerPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    prim::registerPrimPasses();
    tile::registerTilePasses();
    tile::registerTileGridPasses();
    program::registerProgramPasses();
    tiling::registerTilingPasses();
    script::registerScriptPasses();
    staging::registerStagingPasses();
    registerConversionPasses();
    cpu::registerCpuPasses();
    simt::registerGpuPasses();
    frontend::registerFrontendPasses();
    registerDriverPasses();
    target::registerTargetPasses();
    isolated::registerIsolatedPasses();
    mlir::registerCanonicalizerPass();
    mlir::registerCSEPass();
    mlir::arith::registerArithIntRangeOptsPass();
    mlir::registerInlinerPass();
    // What passes run inside of themselves, to be named by flags.
    mlir::registerLoopInvariantCodeMotionPass();
    mlir::registerSymbolDCEPass();
    registerPipelines();
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plug-in: what Kiln's tools load.
#include "Assembly.h"
#include "ChipText.h"
#include "Lowerings.h"
#include "@Name@Dialect.h"
#include "kiln-c/Device.h"
#include "kiln/Target/Plugin.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

class @Name@Target : public Target {
public:
  StringRef name() const override { return "@name@"; }
  StringRef help() const override { return "a machine that is simulated"; }
  std::vector<ChipInfo> chips() const override {
    return {{"v1", "one core, f32 only"}};
  }

  /// Level 1: the chip.
  TargetAttr description(MLIRContext *context,
                         const TargetOptions &options) const override {
    return parseDescription(kChip, context, "@name@");
  }

  /// Level 3: from tile to instructions. Other plug-ins may add passes at the
  /// point.
  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<@name@::@Name@Dialect>();
  }
  bool hasPipeline() const override { return true; }
  std::vector<ExtensionPoint> extensionPoints() const override {
    return {{"@name@.tile", "verify-tile-form", "tile kernels"}};
  }
  void buildPipeline(OpPassManager &pm,
                     const TargetOptions &options) const override {
    runExtensionPoint(pm, options, "@name@.tile");
    pm.addPass(@name@::createConvertTileTo@Name@());
  }

  /// --emit=asm
  LogicalResult emit(ModuleOp module, EmitKind kind,
                     const TargetOptions &options,
                     llvm::raw_ostream &os) const override {
    if (kind != EmitKind::Assembly)
      return Target::emit(module, kind, options, os);
    std::string text;
    for (auto kernel : module.getOps<tile::KernelOp>())
      if (failed(@name@::writeAssembly(kernel, text)))
        return failure();
    os << text;
    return success();
  }

  /// Level 6: bytes, by a program of its own.
  LogicalResult serialize(ModuleOp module, const TargetOptions &options,
                          Executable &result) const override {
    std::string text, bytes, error;
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      if (failed(@name@::writeAssembly(kernel, text)))
        return failure();
      CompiledKernel compiled;
      compiled.name = compiled.symbol = kernel.getSymName().str();
      // The driver gets both as they are here.
      compiled.metadata = options.chip;
      compiled.attributes.push_back({KILN_LAUNCH_THREADS, false, {1}});
      result.kernels.push_back(compiled);
    }
    if (!@name@::assemble(text, /*seconds=*/30, bytes, error))
      return module.emitError() << "@name@-as failed: " << error;
    result.blobs.push_back(std::move(bytes));
    return success();
  }
};

void registerAll(TargetRegistry &registry) {
  registry.addTarget(std::make_unique<@Name@Target>());
  @name@::registerLowerings(registry);
  // Makes the pass known to kiln-opt.
  registerPass(@name@::createConvertTileTo@Name@);
}

} // namespace

KILN_TARGET_PLUGIN("@name@", "0.1", registerAll)

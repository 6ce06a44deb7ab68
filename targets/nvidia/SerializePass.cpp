//===- SerializePass.cpp - Prints what a module becomes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Passes.h"
#include "Serialize.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;

namespace {
/// Serialises by itself, so that the step below the llvm dialect can be looked
/// at and tested.
struct SerializePass
    : public PassWrapper<SerializePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SerializePass)
  SerializePass() = default;
  SerializePass(const SerializePass &other) : PassWrapper(other) {}
  StringRef getName() const final { return "NvidiaSerialize"; }
  StringRef getArgument() const final { return "nvidia-serialize"; }
  StringRef getDescription() const final {
    return "Prints the LLVM IR, the PTX or the launches and notes of kernels";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    nvidia::registerTranslations(registry);
  }

  void runOnOperation() override {
    target::BoundTarget bound =
        target::TargetRegistry::get().boundTarget(getOperation());
    if (!bound) {
      getOperation().emitError(
          "expected a module with the attribute 'kiln.spec'"
          " (kiln-set-target)");
      return signalPassFailure();
    }
    if (emit != "llvm" && emit != "ptx" && emit != "kernels") {
      getOperation().emitError("expected emit=llvm, ptx or kernels, found '")
          << emit.getValue() << "'";
      return signalPassFailure();
    }
    if (emit != "kernels") {
      bool isLLVM = emit == "llvm";
      if (failed(nvidia::emitModule(getOperation(),
                                    isLLVM ? target::EmitKind::LLVM
                                           : target::EmitKind::Assembly,
                                    bound.options, llvm::outs())))
        signalPassFailure();
      return;
    }
    target::Executable result;
    if (failed(nvidia::serializeModule(getOperation(), bound.options, result)))
      return signalPassFailure();
    for (const std::string &name : result.requirements)
      llvm::outs() << "requires " << name << "\n";
    for (const target::CompiledKernel &kernel : result.kernels) {
      llvm::outs() << "kernel " << kernel.name << " is " << kernel.symbol
                   << " of " << result.blobs[kernel.blob].substr(0, 8) << "\n"
                   << "  launched with "
                   << runtime::attributesText(kernel.attributes) << "\n";
      for (const auto &[key, value] : kernel.notes)
        llvm::outs() << "  " << key << " " << value << "\n";
    }
  }

  Option<std::string> emit{*this, "emit",
                           llvm::cl::desc("llvm, ptx or kernels"),
                           llvm::cl::init("ptx")};
};
} // namespace

std::unique_ptr<Pass> nvidia::createSerializePass() {
  return std::make_unique<SerializePass>();
}

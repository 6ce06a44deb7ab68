//===- Passes.cpp - Passes that bind modules to targets -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Passes.h"
#include "RegistryImpl.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/KernelTargets.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace kiln::target;

namespace {
/// Sets `kiln.spec` and `kiln.target` from a SPEC, on the module or on kernels.
struct SetTargetPass
    : public PassWrapper<SetTargetPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetTargetPass)
  StringRef getName() const final { return "SetTarget"; }
  SetTargetPass() = default;
  SetTargetPass(const SetTargetPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "kiln-set-target"; }
  StringRef getDescription() const final {
    return "Attaches a target's SPEC and description to the module, or to "
           "some of its kernels";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<KilnDialect>();
  }

  void runOnOperation() override {
    if (spec.empty()) {
      getOperation().emitError()
          << "expected the option spec=SPEC of kiln-set-target";
      return signalPassFailure();
    }
    BoundTarget bound =
        TargetRegistry::get().bind(spec.getValue(), &getContext());
    if (!bound)
      return signalPassFailure();
    if (kernels.empty())
      return setTarget(getOperation(), bound);
    std::vector<std::string> names(kernels.begin(), kernels.end());
    setKernelTarget(getOperation(), names, bound);
  }

  Option<std::string> spec{*this, "spec", llvm::cl::desc("the SPEC")};
  ListOption<std::string> kernels{
      *this, "kernels",
      llvm::cl::desc("kernels of the module, and names that the kernels of "
                     "groups will have; empty: the module")};
};

/// Runs the pipeline of the module's target.
struct TargetPipelinePass
    : public PassWrapper<TargetPipelinePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TargetPipelinePass)
  StringRef getName() const final { return "TargetPipeline"; }
  StringRef getArgument() const final { return "kiln-target-pipeline"; }
  StringRef getDescription() const final {
    return "Runs the pipeline of the module's target, from tile down";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<KilnDialect>();
    TargetRegistry::get().registerDialects(registry);
    for (const Target *target : TargetRegistry::get().targets()) {
      // Programs have no dialects, and none is started for this.
      if (!target->hasPipeline() || isProgram(TargetRegistry::get(), *target))
        continue;
      OpPassManager pm(ModuleOp::getOperationName());
      TargetOptions options;
      options.name = target->name().str();
      if (auto chips = target->chips(); !chips.empty())
        options.chip = chips.front().name;
      target->buildPipeline(pm, options);
      pm.getDependentDialects(registry);
    }
  }

  void runOnOperation() override {
    BoundTarget bound = TargetRegistry::get().boundTarget(getOperation());
    if (!bound) {
      getOperation().emitError()
          << "expected a module with the attribute '" << kSpecAttr
          << "' that names a loaded target, as "
             "kiln-set-target{spec=SPEC} puts it there";
      return signalPassFailure();
    }
    OpPassManager pm(ModuleOp::getOperationName());
    bound.target->buildPipeline(pm, bound.options);
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};
/// Runs what plug-ins add at a point of somebody's pipeline.
struct ExtensionPointPass
    : public PassWrapper<ExtensionPointPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExtensionPointPass)
  StringRef getName() const final { return "ExtensionPoint"; }
  ExtensionPointPass() = default;
  ExtensionPointPass(const ExtensionPointPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "kiln-extension-point"; }
  StringRef getDescription() const final {
    return "Runs the passes that plug-ins add at an extension point";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<KilnDialect>();
    TargetRegistry::get().registerDialects(registry);
  }

  void runOnOperation() override {
    BoundTarget bound = TargetRegistry::get().boundTarget(getOperation());
    OpPassManager pm(ModuleOp::getOperationName());
    runExtensionPoint(pm, bound.options, point);
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }

  Option<std::string> point{*this, "name",
                            llvm::cl::desc("the extension point")};
};

/// Lets the module's target rewrite the program level.
struct ClaimProgramPass
    : public PassWrapper<ClaimProgramPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ClaimProgramPass)
  StringRef getName() const final { return "ClaimProgram"; }
  StringRef getArgument() const final { return "program-claim"; }
  StringRef getDescription() const final {
    return "Lets the module's target rewrite launches and the memory plan";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<KilnDialect>();
    TargetRegistry::get().registerDialects(registry);
  }

  void runOnOperation() override {
    TargetRegistry &registry = TargetRegistry::get();
    BoundTarget bound = registry.boundTarget(getOperation());
    if (!bound)
      return;
    unsigned errors = 0;
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diag) {
      errors += diag.getSeverity() == DiagnosticSeverity::Error;
      return failure(); // whoever prints them is next
    });
    std::string owner = describeTarget(*bound.target, "'claimProgram' of");
    if (succeeded(runGuardedActivity(owner, getOperation(), [&] {
          return bound.target->claimProgram(getOperation(), bound.options);
        })))
      return;
    if (!errors)
      getOperation().emitError(owner + " failed without saying why");
    signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> kiln::target::createSetTargetPass() {
  return std::make_unique<SetTargetPass>();
}
std::unique_ptr<Pass> kiln::target::createTargetPipelinePass() {
  return std::make_unique<TargetPipelinePass>();
}

void kiln::target::registerTargetPasses() {
  registerPass(createSetTargetPass);
  registerPass(createTargetPipelinePass);
  registerPass([] { return std::make_unique<ExtensionPointPass>(); });
  registerPass([] { return std::make_unique<ClaimProgramPass>(); });
  registerPass(createPrimClaimPass);
  registerPass(createInlineClaimsPass);
}

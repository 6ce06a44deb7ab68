//===- ExtensionPoint.cpp - Passes that plug-ins add to pipelines ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/ExtensionPoint.h"
#include "PointContract.h"
#include "RegistryImpl.h"
#include "kiln/Target/Activity.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace kiln::target;

namespace {
/// Says what was found wrong while the pipeline was built.
struct ErrorPass : public PassWrapper<ErrorPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ErrorPass)
  explicit ErrorPass(std::string message) : message(std::move(message)) {}
  StringRef getName() const final { return "PipelineError"; }
  void runOnOperation() override {
    getOperation()->emitError(message);
    signalPassFailure();
  }
  std::string message;
};
} // namespace

/// The extension point of that name, of a target or the core.
static std::optional<ExtensionPoint>
findDeclared(const TargetRegistry &registry, StringRef name) {
  for (const ExtensionPoint &point : registry.pointsOf(name.split('.').first))
    if (point.name == name)
      return point;
  return std::nullopt;
}

/// What is wrong with the form pass of a point; empty: nothing.
static std::string checkFormPass(const TargetRegistry &registry,
                                 const ExtensionPoint &point) {
  OpPassManager scratch(ModuleOp::getOperationName());
  std::string error;
  llvm::raw_string_ostream os(error);
  if (point.formPass.empty() ||
      succeeded(parsePassPipeline(point.formPass, scratch, os)))
    return "";
  const Target *owner = registry.find(StringRef(point.name).split('.').first);
  return "form pass '" + point.formPass + "' of extension point '" +
         point.name + "'" +
         (owner ? " of " + describeTarget(*owner) : std::string()) + ": " +
         StringRef(error).rtrim().str();
}

void kiln::target::runExtensionPoint(OpPassManager &pm,
                                     const TargetOptions &options,
                                     StringRef point) {
  TargetRegistry &registry = TargetRegistry::get();
  std::optional<ExtensionPoint> declared = findDeclared(registry, point);
  if (!declared) {
    StringRef owner = point.split('.').first;
    std::string known;
    for (const ExtensionPoint &other : registry.pointsOf(owner))
      known += (known.empty() ? "" : ", ") + other.name;
    pm.addPass(std::make_unique<ErrorPass>(
        "extension point '" + point.str() + "' is not declared: " +
        (registry.find(owner)
             ? describeTarget(*registry.find(owner)) +
                   " has to list it in extensionPoints(), which has " +
                   (known.empty() ? std::string("none") : known)
             : "addExtensionPoint or a target's extensionPoints() does")));
    return;
  }
  // Passes at this point rely on it, so it has to be there before them.
  if (std::string why = checkFormPass(registry, *declared); !why.empty()) {
    pm.addPass(std::make_unique<ErrorPass>(why));
    return;
  }
  auto added = registry.passesAt(point);
  bool hasScript = options.get("schedule_file").has_value();
  if (added.empty() && !hasScript)
    return;
  for (const ExtensionPass *pass : added) {
    // There is nothing yet to report at: the pipeline does, when it runs.
    std::string owner = describeOwner("pass", pass->name, pass->plugin);
    unsigned depth = Activity::depth();
    Activity::begin(owner + " at '" + point.str() + "'", nullptr);
    std::string thrown;
    auto contract =
        std::make_shared<PointContract>(owner + " at '" + point.str() + "'");
    pm.addPass(createContractPass(contract, /*isBefore=*/true));
    try {
      pass->build(pm, options);
      // Reaches every pass, also one that is null: it ends here, not where
      // its owner is not known any more.
      DialectRegistry dialects;
      pm.getDependentDialects(dialects);
    } catch (const std::exception &e) {
      thrown = e.what();
    }
    pm.addPass(createContractPass(contract, /*isBefore=*/false));
    Activity::endDownTo(depth);
    if (!thrown.empty())
      pm.addPass(std::make_unique<ErrorPass>(owner + " at '" + point.str() +
                                             "' throws: " + thrown));
  }
  std::string error;
  llvm::raw_string_ostream os(error);
  if (hasScript &&
      failed(parsePassPipeline(
          ("kiln-apply-schedule{point=" + point + "}").str(), pm, os)))
    pm.addPass(std::make_unique<ErrorPass>(error));
  if (!declared->formPass.empty())
    (void)parsePassPipeline(declared->formPass, pm);
}

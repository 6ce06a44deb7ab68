//===- ExtensionPoint.cpp - Passes that plug-ins add to pipelines ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/ExtensionPoint.h"
#include "RegistryImpl.h"
#include "kiln/Target/Activity.h"
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

/// The extension point of that name, of a target, the core or a family.
static std::optional<ExtensionPoint>
findDeclared(const TargetRegistry &registry, StringRef name) {
  auto [owner, where] = name.split('.');
  for (const ExtensionPoint &point : registry.pointsOf(owner))
    if (point.name == name)
      return point;
  for (const Family &family : registry.impl().families)
    for (const ExtensionPoint &point : family.points)
      if (point.name == where)
        return point;
  return std::nullopt;
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
             ? registry.describe(*registry.find(owner)) +
                   " has to list it in extensionPoints(), which has " +
                   (known.empty() ? std::string("none") : known)
             : "addExtensionPoint or a target's extensionPoints() does")));
    return;
  }
  auto added = registry.passesAt(point);
  if (added.empty())
    return;
  for (const ExtensionPass *pass : added) {
    // There is nothing yet to report at: the pipeline does, when it runs.
    std::string owner = describeOwner("pass", pass->name, pass->plugin);
    unsigned depth = Activity::depth();
    Activity::begin(owner + " at '" + point.str() + "'", nullptr);
    std::string thrown;
    try {
      pass->build(pm, options);
    } catch (const std::exception &e) {
      thrown = e.what();
    }
    Activity::endDownTo(depth);
    if (!thrown.empty())
      pm.addPass(std::make_unique<ErrorPass>(owner + " at '" + point.str() +
                                             "' throws: " + thrown));
  }
  std::string error;
  llvm::raw_string_ostream os(error);
  if (!declared->formPass.empty() &&
      failed(parsePassPipeline(declared->formPass, pm, os)))
    pm.addPass(std::make_unique<ErrorPass>(
        "form pass '" + declared->formPass + "' of extension point '" +
        point.str() + "': " + StringRef(error).rtrim().str()));
}

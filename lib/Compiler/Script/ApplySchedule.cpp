//===- ApplySchedule.cpp - Running a schedule script ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/StageDialect.h"
#include "kiln/Script/Script.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

namespace kiln::script {
#define GEN_PASS_DEF_APPLYSCHEDULE
#define GEN_PASS_REGISTRATION
#include "kiln/Script/Passes.h.inc"
} // namespace kiln::script

using namespace mlir;
using namespace kiln;

/// Reads and verifies a script; null after an error.
static OwningOpRef<ModuleOp> readScript(StringRef path, Operation *module) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &error);
  if (!buffer) {
    emitError(FileLineColLoc::get(module->getContext(), path, 1, 1))
        << "the schedule script cannot be read: " << error;
    return {};
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(module->getContext()));
}

/// Reports public sequences that no extension point has the name of: they would
/// never run.
static LogicalResult checkNames(ModuleOp script) {
  target::TargetRegistry &registry = target::TargetRegistry::get();
  for (auto sequence : script.getOps<transform::NamedSequenceOp>()) {
    StringRef name = sequence.getSymName();
    if (sequence.isPrivate())
      continue;
    StringRef owner = name.split('.').first;
    std::vector<target::ExtensionPoint> points = registry.pointsOf(owner);
    if (llvm::any_of(points, [&](const target::ExtensionPoint &point) {
          return point.name == name;
        }))
      continue;
    // Of a target that is not loaded nothing can be said.
    if (name.contains('.') && owner != "core" && !registry.find(owner))
      continue;
    if (points.empty())
      points = registry.pointsOf("core");
    auto diag = sequence.emitError()
                << "expected a private sequence or the name of an extension "
                   "point (";
    llvm::interleaveComma(
        points, diag,
        [&](const target::ExtensionPoint &point) { diag << point.name; });
    return diag << "), found '" << name << "'";
  }
  return success();
}

namespace {
struct ApplySchedule : script::impl::ApplyScheduleBase<ApplySchedule> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<transform::TransformDialect, stage::StageDialect>();
    script::registerScriptOps(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string path = file;
    if (path.empty())
      path = pathOf(module);
    if (path.empty()) {
      module.emitError("expected the option file=FILE of kiln-apply-schedule, "
                       "or a module that kiln-set-target has bound to a "
                       "specification with the key schedule_file");
      return signalPassFailure();
    }
    OwningOpRef<ModuleOp> script = readScript(path, module);
    if (!script || failed(checkNames(*script)))
      return signalPassFailure();
    auto sequence = script->lookupSymbol<transform::NamedSequenceOp>(point);
    if (!sequence || sequence.isPrivate())
      return;
    transform::TransformOptions options;
    options.enableExpensiveChecks(true);
    if (failed(transform::applyTransformNamedSequence(module, sequence, *script,
                                                      options)))
      signalPassFailure();
  }

private:
  static std::string pathOf(ModuleOp module) {
    std::optional<target::TargetOptions> options =
        target::findModuleOptions(module);
    return options ? options->get("schedule_file", "").str() : "";
  }
};
} // namespace

void script::registerScriptPasses() { registerKilnScriptPasses(); }

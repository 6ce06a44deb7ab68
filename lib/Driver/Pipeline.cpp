//===- Pipeline.cpp - The stages of a compilation -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every stage is a list of registered passes, so that kiln-opt can run the
// same by name.
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln::driver;
using namespace kiln::target;

Stage kiln::driver::inputStage(ArrayRef<std::string> entries) {
  std::string keep = "kiln-keep-entries";
  if (!entries.empty())
    keep += "{entry=" + llvm::join(entries, ",") + "}";
  return {"input", {{keep}, {"kiln-verify-sizes"}}};
}

Stage kiln::driver::frontendStage(
    ArrayRef<const frontend::Frontend *> frontends,
    llvm::function_ref<frontend::Options(const frontend::Frontend &)> options) {
  std::string text = frontend::FrontendRegistry::pipelineOf(frontends, options);
  Stage stage{"frontend", {}};
  if (!text.empty())
    stage.steps.push_back({text});
  return stage;
}

Stage kiln::driver::improveStage(StringRef passes) {
  Stage stage{"improve", {}};
  if (!passes.empty())
    stage.steps.push_back({passes.str()});
  return stage;
}

/// The pass that gives a module the numerics modes of the command line.
static std::string numericsPass(const CompileOptions &options) {
  return "kiln-set-numerics{modes=" + llvm::join(options.numerics, ",") + "}";
}

Stage kiln::driver::raiseStage() {
  return {"prim", {{"func.func(prim-raise-composites)"}}};
}

Stage kiln::driver::bindStage(StringRef spec) {
  // Text with spaces has to be quoted in a pipeline.
  bool isWord = spec.find_first_of(" \t'\"{}") == StringRef::npos;
  std::string text = isWord ? spec.str() : ("\"" + spec + "\"").str();
  return {"bind", {{"kiln-set-target{spec=" + text + "}"}}};
}

Stage kiln::driver::primStage(const CompileOptions *options) {
  Stage stage{
      "prim",
      {{"func.func(prim-fold-coordinates,prim-widen-floats,"
        "prim-raise-composites)"},
       {"core.after-raise", Step::Point},
       {"prim-claim,prim-inline-claims"},
       {"func.func(prim-decompose,prim-split-phases,prim-find-last-updates,"
        "prim-simplify)"}}};
  // Scans are claimed if their functions may regroup elements.
  if (options && !options->numerics.empty())
    stage.steps.insert(stage.steps.begin(), {numericsPass(*options)});
  return stage;
}

Stage kiln::driver::tileStage(const CompileOptions *options) {
  Stage stage{"tile",
              {{"func.func(prim-sink-transposes,prim-precompute,prim-fuse)"},
               {"core.after-fuse", Step::Point},
               {"convert-prim-to-tile"},
               {"core.tile", Step::Point},
               {"tile-share-remainder"},
               {"program-merge-kernels"},
               {"program.func(program-reuse-donated,program-plan-memory)"}}};
  // Blocks of products depend on how they read their factors.
  if (options && options->allowTf32)
    stage.steps.insert(stage.steps.begin(),
                       {"kiln-set-numerics{allow-tf32=true}"});
  return stage;
}

Stage kiln::driver::kernelStage() {
  return {"tile",
          {{"verify-tile-form"},
           {"core.tile", Step::Point},
           {"tile-share-remainder"},
           {"program-merge-kernels"},
           {"program.func(program-reuse-donated,program-plan-memory)"}}};
}

Stage kiln::driver::numericsStage(const CompileOptions &options) {
  Stage stage{"numerics", {}};
  std::string modes;
  if (!options.numerics.empty())
    modes = "modes=" + llvm::join(options.numerics, ",");
  if (options.allowTf32)
    modes += modes.empty() ? "allow-tf32=true" : " allow-tf32=true";
  if (!modes.empty())
    stage.steps.push_back({"kiln-set-numerics{" + modes + "}"});
  stage.steps.push_back({"tile.kernel(tile-contract)"});
  return stage;
}

Stage kiln::driver::claimStage() {
  return {"claim",
          {{"tile-choose-blocks"},
           {"tile-vary-blocks"},
           {"tile-vary-sizes"},
           {"tile-choose-raster"},
           {"program-claim"}}};
}

Stage kiln::driver::placeStage() {
  return {"place", {{"program-place-launches"}}};
}

Stage kiln::driver::isolateStage() {
  return {"kernels", {{"kiln-isolate-kernels"}}};
}

Stage kiln::driver::targetStage(bool whole) {
  Stage stage{"target", {}};
  if (!whole)
    stage.steps.push_back({"kiln-isolate-kernels{for-target=true}"});
  stage.steps.push_back({"", Step::Target});
  return stage;
}

LogicalResult kiln::driver::addSteps(OpPassManager &pm, ArrayRef<Step> steps,
                                     const BoundTarget &bound,
                                     llvm::raw_ostream &errors) {
  for (const Step &step : steps) {
    if (step.kind == Step::Point)
      runExtensionPoint(pm, bound.options, step.text);
    else if (step.kind == Step::Target)
      bound.target->buildPipeline(pm, bound.options);
    else if (failed(parsePassPipeline(step.text, pm, errors)))
      return failure();
  }
  return success();
}

/// The passes of one step as text; empty where there are none.
static std::string textOf(const Step &step, const BoundTarget &bound) {
  if (step.kind == Step::Passes)
    return step.text;
  OpPassManager pm(ModuleOp::getOperationName());
  if (failed(addSteps(pm, step, bound, llvm::nulls())) || pm.empty())
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  StringRef inside = text;
  inside.consume_front("builtin.module(");
  inside.consume_back(")");
  OpPassManager again(ModuleOp::getOperationName());
  if (succeeded(parsePassPipeline(inside, again, llvm::nulls())))
    return inside.str();
  // Passes that nobody can name: by what adds them.
  return step.kind == Step::Target
             ? "kiln-target-pipeline"
             : "kiln-extension-point{name=" + step.text + "}";
}

std::string kiln::driver::textOf(const Stage &stage, const BoundTarget &bound) {
  std::string text;
  for (const Step &step : stage.steps) {
    std::string part = ::textOf(step, bound);
    if (!part.empty())
      text += (text.empty() ? "" : ",") + part;
  }
  return text;
}

LogicalResult kiln::driver::runStage(ModuleOp module, const Stage &stage,
                                     const BoundTarget &bound,
                                     DiagnosticPrinter &printer,
                                     TimingScope &timing) {
  PassManager pm(module.getContext());
  std::string error;
  llvm::raw_string_ostream errors(error);
  if (failed(addSteps(pm, stage.steps, bound, errors))) {
    printer.error("stage '" + stage.name +
                  "' names a pass that is not there: " + error);
    return failure();
  }
  if (pm.empty())
    return success();
  TimingScope scope = timing.nest(stage.name);
  return runPasses(pm, module, printer, scope, stage.name);
}

void kiln::driver::registerExtensionPoints(TargetRegistry &registry) {
  registry.addExtensionPoint(
      {"core.after-raise", "", "prim, composites whole, before claims"});
  registry.addExtensionPoint(
      {"core.after-fuse", "", "prim.fusion groups, before schedules"});
  registry.addExtensionPoint(
      {"core.tile", "verify-tile-form", "tile kernels and host programs"});
}

void kiln::driver::registerPipelines() {
  auto add = [](StringRef name, StringRef help, std::vector<Step> steps) {
    mlir::registerPassPipeline(
        name, help,
        [steps](OpPassManager &pm, StringRef options,
                function_ref<LogicalResult(const Twine &)> error) {
          if (!options.empty())
            return error("this pipeline takes no options");
          return addSteps(pm, steps, BoundTarget(), llvm::errs());
        },
        [](function_ref<void(const mlir::detail::PassOptions &)>) {});
  };
  std::vector<Step> all = {{"kiln-frontend"}};
  add("kiln-prim", "Runs the passes on prim that serve every target",
      primStage().steps);
  add("kiln-tile", "From prim to tile and program", tileStage().steps);
  for (const Stage &part : {primStage(), tileStage()})
    all.insert(all.end(), part.steps.begin(), part.steps.end());
  add("kiln-pipeline", "From a frontend's dialects to tile and program", all);
}

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

std::vector<Step>
kiln::driver::frontendSteps(llvm::ArrayRef<std::string> entries,
                            const std::string &elided) {
  std::string options;
  if (!entries.empty())
    options = "entry=" + llvm::join(entries, ",");
  if (!elided.empty())
    options += (options.empty() ? "elided=" : " elided=") + elided;
  return {{options.empty() ? "convert-tosa-to-prim"
                           : "convert-tosa-to-prim{" + options + "}"}};
}

std::vector<Step> kiln::driver::primSteps() {
  return {{"func.func(prim-raise-composites)"},
          {"core.after-raise", true},
          {"prim-claim,prim-inline-claims"},
          {"func.func(prim-decompose,prim-simplify)"}};
}

std::vector<Step> kiln::driver::tileSteps() {
  return {{"func.func(prim-fuse)"},  {"core.after-fuse", true},
          {"convert-prim-to-tile"},  {"core.tile", true},
          {"program-merge-kernels"}, {"program.func(program-plan-memory)"}};
}

std::vector<Step> kiln::driver::numericsSteps() {
  return {{"tile.kernel(tile-contract)"}};
}

LogicalResult kiln::driver::addSteps(OpPassManager &pm,
                                     const std::vector<Step> &steps,
                                     const TargetOptions &options,
                                     llvm::raw_ostream &errors) {
  for (const Step &step : steps) {
    if (step.isPoint)
      runExtensionPoint(pm, options, step.text);
    else if (failed(parsePassPipeline(step.text, pm, errors)))
      return failure();
  }
  return success();
}

LogicalResult kiln::driver::runSteps(ModuleOp module, StringRef name,
                                     const std::vector<Step> &steps,
                                     const TargetOptions &options,
                                     DiagnosticPrinter &printer,
                                     TimingScope &timing) {
  PassManager pm(module.getContext());
  std::string error;
  llvm::raw_string_ostream errors(error);
  if (failed(addSteps(pm, steps, options, errors))) {
    printer.error("this build lacks a pass of stage '" + name + "': " + error);
    return failure();
  }
  TimingScope scope = timing.nest(name);
  return runPasses(pm, module, printer, scope, name);
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
          return addSteps(pm, steps, TargetOptions(), llvm::errs());
        },
        [](function_ref<void(const mlir::detail::PassOptions &)>) {});
  };
  std::vector<Step> all = frontendSteps();
  add("kiln-frontend", "From a frontend's dialects to prim", frontendSteps());
  add("kiln-prim", "What is done on prim for every target", primSteps());
  add("kiln-tile", "From prim to tile and program", tileSteps());
  for (const auto &part : {primSteps(), tileSteps()})
    all.insert(all.end(), part.begin(), part.end());
  add("kiln-pipeline", "From a frontend's dialects to tile and program", all);
}

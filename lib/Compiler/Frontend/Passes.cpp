//===- Passes.cpp - The pass that runs frontends --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Frontend/Passes.h"
#include "kiln/Frontend/Frontend.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

namespace kiln::frontend {
#define GEN_PASS_DEF_RUNFRONTEND
#include "kiln/Frontend/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kiln/Frontend/Passes.h.inc"
} // namespace kiln::frontend

using namespace mlir;
using namespace kiln::frontend;

namespace {
/// Runs the pipelines of the frontends that a module is for.
struct RunFrontendPass
    : public kiln::frontend::impl::RunFrontendBase<RunFrontendPass> {
  using RunFrontendBase::RunFrontendBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    FrontendRegistry &all = FrontendRegistry::get();
    all.registerDialects(registry);
    for (const Frontend *one : all.frontends()) {
      OpPassManager pm(ModuleOp::getOperationName());
      for (const std::string &text :
           {FrontendRegistry::pipelineOf({one}, {}),
            FrontendRegistry::improvementsOf({one}, {})})
        if (succeeded(parsePassPipeline(text, pm, llvm::nulls())))
          pm.getDependentDialects(registry);
    }
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FrontendRegistry &all = FrontendRegistry::get();
    const Frontend *forced = all.find(frontend);
    if (!forced && !frontend.empty()) {
      module.emitError("no frontend '")
          << frontend << "', expected one of: " << listFrontends();
      return signalPassFailure();
    }
    FailureOr<std::vector<const Frontend *>> chosen =
        all.recognise(module, forced);
    if (failed(chosen))
      return signalPassFailure();
    auto optionsOf = [&](const Frontend &one) {
      Options options;
      options.entries = entries;
      for (StringRef value : values) {
        StringRef key = value.split('=').first;
        if (llvm::any_of(one.options, [&](const OptionInfo &info) {
              return info.key == key;
            }))
          options.values.push_back({key.str(), value.split('=').second.str()});
      }
      return options;
    };
    std::string text = FrontendRegistry::pipelineOf(*chosen, optionsOf);
    if (std::string more = FrontendRegistry::improvementsOf(*chosen, optionsOf);
        !more.empty())
      text += (text.empty() ? "" : ",") + more;
    OpPassManager pm(ModuleOp::getOperationName());
    std::string error;
    llvm::raw_string_ostream errors(error);
    if (failed(parsePassPipeline(text, pm, errors))) {
      module.emitError("the pipeline '") << text << "' is not valid: " << error;
      return signalPassFailure();
    }
    if (failed(runPipeline(pm, module)))
      signalPassFailure();
  }
};
} // namespace

void kiln::frontend::registerFrontendPasses() { registerKilnFrontendPasses(); }

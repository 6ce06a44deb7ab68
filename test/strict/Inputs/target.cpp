// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target with a pipeline and a serialiser that go wrong.
#include "bad.h"
#include "kiln/Frontend/Frontend.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
struct BadPass : PassWrapper<BadPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BadPass)
  StringRef getArgument() const final { return "bad-pass"; }
  StringRef getName() const final { return "BadPass"; }
  void runOnOperation() final {
    misbehave("pass");
    if (bad("pass-fails"))
      signalPassFailure();
    if (bad("pass-prints")) {
      llvm::outs() << "look here\n";
      std::puts("and here");
    }
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      auto wrong = [&](StringRef how) {
        return bad(how) && kernel.getSymName() != "fine";
      };
      if (wrong("pass-errs"))
        kernel.emitError("the scratchpad is full");
      if (wrong("pass-declines"))
        (void)emitUnsupported(kernel, "more scratchpad than there is");
      if (wrong("pass-errs") || wrong("pass-declines"))
        return signalPassFailure();
      if (bad("pass-illegal"))
        kernel.getBody().front().getTerminator()->erase();
    }
  }
};

bool hasNestedPoint() {
  return bad("nested-parameter") || bad("nested-private");
}

/// A pass at an extension point that the target has within kernels.
struct NestedPass : PassWrapper<NestedPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NestedPass)
  StringRef getArgument() const final { return "nested-pass"; }
  StringRef getName() const final { return "NestedPass"; }
  void runOnOperation() final {
    auto function = cast<FunctionOpInterface>(*getOperation());
    if (bad("nested-parameter") && getOperation().getSymName() == "sums")
      (void)function.insertArgument(function.getNumArguments(),
                                    IndexType::get(&getContext()), {},
                                    getOperation().getLoc());
    if (bad("nested-private"))
      function.setPrivate();
  }
};

class BadTarget : public Target {
public:
  StringRef name() const override { return "bad"; }
  std::vector<ChipInfo> chips() const override { return {{"b1", ""}}; }
  TargetAttr description(MLIRContext *context,
                         const TargetOptions &) const override {
    misbehave("description");
    return parseDescription("#kiln.target<name = \"bad\", chip = \"b1\">",
                            context);
  }
  std::vector<OptionInfo> options() const override {
    if (bad("option-twice"))
      return {{"speed", "1..2", ""}, {"speed", "on|off", ""}};
    if (bad("option-range"))
      return {{"speed", "9..2", ""}};
    if (bad("option-core"))
      return {{"schedule", "N", ""}};
    return {};
  }
  std::vector<ExtensionPoint> extensionPoints() const override {
    if (bad("point-form"))
      return {{"bad.form", "verify-nothing", ""}};
    if (bad("point-twice"))
      return {{"bad.form", "", ""}, {"bad.form", "", ""}};
    if (hasNestedPoint())
      return {{"bad.kernel", "", ""}};
    return {};
  }
  bool accepts(Operation *kernel, TargetAttr, const TargetOptions &,
               std::string &reason) const override {
    misbehave("accepts");
    if (bad("accepts-changes"))
      kernel->setAttr("bad.seen", UnitAttr::get(kernel->getContext()));
    if (bad("accepts-declines"))
      reason = "it is on holiday";
    return reason.empty() && !bad("accepts-no-reason");
  }
  bool hasPipeline() const override { return true; }
  void buildPipeline(OpPassManager &pm,
                     const TargetOptions &options) const override {
    misbehave("pipeline");
    if (bad("pipeline-point"))
      runExtensionPoint(pm, options, "bad.nowhere");
    // A name that the cpu family has, which this target is not of.
    if (bad("pipeline-family"))
      runExtensionPoint(pm, options, "bad.tile");
    if (bad("point-form"))
      runExtensionPoint(pm, options, "bad.form");
    if (hasNestedPoint())
      runExtensionPoint(pm.nest<tile::KernelOp>(), options, "bad.kernel");
    pm.addPass(std::make_unique<BadPass>());
  }
  LogicalResult emit(ModuleOp, EmitKind, const TargetOptions &,
                     raw_ostream &os) const override {
    misbehave("emit");
    os << "text\n";
    return success();
  }
  LogicalResult claimProgram(ModuleOp, const TargetOptions &) const override {
    misbehave("claim-program");
    return failure(bad("claim-program-fails"));
  }
  LogicalResult serialize(ModuleOp module, const TargetOptions &,
                          Executable &result) const override {
    misbehave("serialiser");
    if (bad("serialiser-fails"))
      return failure();
    if (bad("serialiser-errs"))
      return module.emitError("the assembler has no licence");
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      CompiledKernel blob;
      blob.name = blob.symbol = kernel.getSymName().str();
      if (bad("serialiser-index"))
        blob.blob = 7;
      if (bad("serialiser-scratch"))
        blob.scratchBytes = -1;
      if (bad("serialiser-symbol"))
        blob.symbol = "";
      if (bad("serialiser-note"))
        blob.notes.emplace_back("call", "\xff");
      if (bad("serialiser-name"))
        blob.name = "nobody";
      if (!bad("serialiser-nothing"))
        result.kernels.push_back(blob);
      if (bad("serialiser-twice"))
        result.kernels.push_back(blob);
    }
    result.blobs.push_back(bad("serialiser-empty") ? "" : "garbage");
    static int count = 0;
    ++count;
    if (bad("serialiser-unsteady"))
      result.blobs.back() += std::to_string(count);
    if (bad("serialiser-notes"))
      result.kernels.front().notes.emplace_back("call", std::to_string(count));
    if (bad("serialiser-once") && count > 1)
      return module.emitError("the licence is for one call");
    if (bad("serialiser-requirement"))
      result.requirements.push_back("a,b");
    return success();
  }
};

/// Registration runs in a process apart first, whose standard output is a file
/// in memory.
void registerAll(TargetRegistry &registry) {
  char out[64] = {};
  bool isTrial = readlink("/proc/self/fd/1", out, sizeof(out) - 1) > 0 &&
                 strstr(out, "kiln-trial");
  misbehave(isTrial ? "trial" : "registration");
  registry.addTarget(std::make_unique<BadTarget>());
  if (hasNestedPoint())
    registry.addPass("bad.kernel", "nested",
                     [](OpPassManager &pm, const TargetOptions &) {
                       pm.addPass(std::make_unique<NestedPass>());
                     });
  if (bad("frontend-dialects-exits")) {
    frontend::Frontend frontend;
    frontend.name = "strange";
    frontend.functions = {"func.func"};
    frontend.magic = "strange 1\n";
    frontend.read = [](auto &&...) { return OwningOpRef<ModuleOp>(); };
    frontend.pipeline = [](const frontend::Options &) { return ""; };
    frontend.registerDialects = [](DialectRegistry &) {
      misbehave("frontend-dialects");
    };
    registry.addFrontend(std::move(frontend));
  }
}
} // namespace

KILN_TARGET_PLUGIN("bad", "1.0", registerAll)

//===- kiln-opt.cpp - mlir-opt with Kiln's dialects and passes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Driver.h"
#include "kiln/Driver/Semantics.h"
#include "kiln/Eval/Register.h"
#include "kiln/Runtime/StandardStreams.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

/// Takes `--verify-semantics` out of the arguments.
static bool extractVerifySemantics(int &argc, char **argv) {
  int kept = 1;
  bool found = false;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef arg = argv[i];
    if (arg == "--verify-semantics" || arg == "-verify-semantics")
      found = true;
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  argv[argc] = nullptr;
  return found;
}

static constexpr llvm::StringLiteral kTitle =
    "Kiln's optimiser driver (--load-target=LIB loads a plug-in, "
    "--verify-semantics evaluates around each pass)\n";

/// As mlir-opt, on text that a frontend has made of the input.
static int runOnText(int argc, char **argv, mlir::DialectRegistry &registry,
                     std::unique_ptr<llvm::MemoryBuffer> text) {
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, kTitle, registry);
  std::string error;
  auto out = mlir::openOutputFile(output, &error);
  if (!out) {
    llvm::errs() << error << "\n";
    return kiln::driver::kInputFailed;
  }
  if (failed(mlir::MlirOptMain(out->os(), std::move(text), registry,
                               mlir::MlirOptMainConfig::createFromCLOptions())))
    return kiln::driver::kInputFailed;
  out->keep();
  return kiln::driver::kDone;
}

namespace {
/// Keeps a check, which refers to the program, no longer than the passes.
class CheckOwner : public mlir::PassInstrumentation {
public:
  CheckOwner(mlir::PassManager &pm, kiln::driver::SemanticsResult &result)
      : check({}, pm.getContext()), result(result) {
    check.attach(pm);
  }
  ~CheckOwner() override { result = check.result(); }

private:
  kiln::driver::SemanticsCheck check;
  kiln::driver::SemanticsResult &result;
};
} // namespace

/// As mlir-opt, with evaluation before and after each pass.
static int verifySemantics(int argc, char **argv,
                           mlir::DialectRegistry &registry) {
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, kTitle, registry);
  kiln::driver::SemanticsResult result;
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  auto plain = config;
  config.setPassPipelineSetupFn([&](mlir::PassManager &pm) {
    // Evaluation sees the whole module.
    pm.getContext()->disableMultithreading();
    if (failed(plain.setupPassPipeline(pm)))
      return mlir::failure();
    pm.addInstrumentation(std::make_unique<CheckOwner>(pm, result));
    return mlir::success();
  });
  std::string error;
  auto file = mlir::openInputFile(input, &error);
  auto out = file ? mlir::openOutputFile(output, &error) : nullptr;
  if (!out) {
    llvm::errs() << error << "\n";
    return kiln::driver::kInputFailed;
  }
  if (failed(mlir::MlirOptMain(out->os(), std::move(file), registry, config)))
    return kiln::driver::kInputFailed;
  out->keep();
  llvm::errs() << result.str() << "\n";
  return result.failed() ? kiln::driver::kInputFailed : kiln::driver::kDone;
}

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  kiln::driver::guardOutput();
  return kiln::driver::runGuarded(kiln::driver::inputArgument(argc, argv), [&] {
    // Plug-ins add passes, which are options: load them before options.
    auto named = kiln::target::extractLoadTargetFlags(argc, argv);
    bool verifies = extractVerifySemantics(argc, argv);
    if (!kiln::driver::initialize(named))
      return int(kiln::driver::kInputFailed);
    if (!kiln::driver::isHarmlessFile(kiln::driver::inputArgument(argc, argv)))
      return int(kiln::driver::kInputFailed);
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    mlir::registerAllPasses();
    kiln::driver::registerDialects(registry);
    kiln::driver::registerPasses();
    if (verifies) {
      kiln::eval::registerEvaluation(registry);
      return verifySemantics(argc, argv, registry);
    }
    bool failed = false;
    auto text = kiln::driver::readForeignFile(
        kiln::driver::inputArgument(argc, argv), registry, failed);
    if (failed)
      return int(kiln::driver::kInputFailed);
    if (text)
      return runOnText(argc, argv, registry, std::move(text));
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, kTitle, registry));
  });
}

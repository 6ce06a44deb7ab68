//===- kiln-opt.cpp - mlir-opt with Kiln's dialects and passes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Driver.h"
#include "kiln/Driver/PassActivities.h"
#include "kiln/Driver/Semantics.h"
#include "kiln/Eval/Register.h"
#include "kiln/Interfaces/Bytecode.h"
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
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
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

/// The arguments, with the version of bytecode that Kiln writes into files
/// where they ask for bytecode and name none.
static std::vector<char *> withBytecodeVersion(int argc, char **argv) {
  static std::string flag =
      "--emit-bytecode-version=" + std::to_string(kiln::kBytecodeVersion);
  std::vector<char *> arguments(argv, argv + argc);
  auto has = [&](auto isIt) {
    return llvm::any_of(arguments, [&](llvm::StringRef argument) {
      return argument.consume_front("-") && isIt(argument.ltrim('-'));
    });
  };
  bool emits = has([](llvm::StringRef name) {
    return name == "emit-bytecode" || name == "emit-bytecode=true" ||
           name == "emit-bytecode=1";
  });
  bool names = has([](llvm::StringRef name) {
    return name.starts_with("emit-bytecode-version");
  });
  if (emits && !names)
    arguments.push_back(flag.data());
  arguments.push_back(nullptr);
  return arguments;
}

static constexpr llvm::StringLiteral kTitle =
    "kiln-opt runs passes on a file, as mlir-opt does, with Kiln's dialects "
    "and "
    "passes:\n"
    "\n"
    "  kiln-opt examples/norm_tosa.mlir --convert-tosa-to-prim --canonicalize\n"
    "\n"
    "Besides mlir-opt's own options:\n"
    "  --load-target=LIB   load a plug-in, with its dialects and passes\n"
    "  --verify-semantics  evaluate the program before and after each pass, "
    "and "
    "name\n"
    "                      the first pass that changes a result\n"
    "  --help-hidden       list LLVM's options as well, such as those of its "
    "code\n"
    "                      generators\n";

/// Leaves the options that LLVM's libraries have registered so far out of
/// `--help`, which otherwise shows hundreds of them before those of MLIR.
static void hideOptionsOfLlvm() {
  for (auto &named : llvm::cl::getRegisteredOptions())
    if (named.second->getOptionHiddenFlag() == llvm::cl::NotHidden)
      named.second->setHiddenFlag(llvm::cl::Hidden);
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

/// The input as text that mlir-opt reads: what a frontend has made of it, else
/// the file. Null after an error.
static std::unique_ptr<llvm::MemoryBuffer>
readInput(const std::string &input, mlir::DialectRegistry &registry) {
  bool failed = false;
  auto text = kiln::driver::readForeignFile(input, registry, failed);
  if (text || failed)
    return text;
  if (input == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(reads the standard input, to its end)\n";
  std::string error;
  auto file = mlir::openInputFile(input, &error);
  if (!file)
    llvm::errs() << error << "\n";
  return file;
}

/// As mlir-opt. A file is written when all has gone well, as kiln-compile does.
static int optimise(int argc, char **argv, mlir::DialectRegistry &registry,
                    bool verifies) {
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, kTitle, registry);
  kiln::driver::SemanticsResult semantics;
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  auto plain = config;
  config.setPassPipelineSetupFn([&](mlir::PassManager &pm) {
    // Evaluation sees the whole module.
    if (verifies)
      pm.getContext()->disableMultithreading();
    if (failed(plain.setupPassPipeline(pm)))
      return mlir::failure();
    if (verifies)
      pm.addInstrumentation(std::make_unique<CheckOwner>(pm, semantics));
    pm.addInstrumentation(kiln::driver::makePassActivities());
    return mlir::success();
  });
  auto file = readInput(input, registry);
  if (!file)
    return kiln::driver::kInputFailed;
  std::string result, error;
  llvm::raw_string_ostream inMemory(result);
  llvm::raw_ostream *out = &inMemory;
  if (output == "-")
    out = &llvm::outs();
  if (failed(mlir::MlirOptMain(*out, std::move(file), registry, config)))
    return kiln::driver::kInputFailed;
  if (output != "-" && !kiln::driver::writeOutput(output, result, error)) {
    llvm::errs() << "error: " << error << "\n";
    return kiln::driver::kInputFailed;
  }
  if (verifies)
    llvm::errs() << semantics.str() << "\n";
  return semantics.failed() ? kiln::driver::kInputFailed : kiln::driver::kDone;
}

int main(int argc, char **argv) {
  hideOptionsOfLlvm();
  kiln::runtime::occupyStandardStreams();
  kiln::driver::guardOutput();
  std::vector<char *> arguments = withBytecodeVersion(argc, argv);
  argc = arguments.size() - 1;
  argv = arguments.data();
  auto run = [&] {
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
    if (verifies)
      kiln::eval::registerEvaluation(registry);
    return optimise(argc, argv, registry, verifies);
  };
  // Upstream's reader of command lines ends the process.
  return kiln::driver::runGuarded(kiln::driver::inputArgument(argc, argv), run,
                                  /*inProcess=*/false, /*mayExit=*/true);
}

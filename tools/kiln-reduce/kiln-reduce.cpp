//===- kiln-reduce.cpp - The test case reducer with Kiln's dialects -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reducer.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/StandardStreams.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/mman.h>
#include <utility>

using namespace kiln::reduce;

namespace {
/// The reducer as a pass, so that it mixes with those of upstream's driver.
struct ReduceOperations
    : mlir::PassWrapper<ReduceOperations, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceOperations)

  ReduceOperations() = default;
  ReduceOperations(const ReduceOperations &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const final { return "reduce-operations"; }
  llvm::StringRef getDescription() const final {
    return "Remove what a program does not need to stay interesting: "
           "operations, loops, arguments, results, constants";
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<mlir::arith::ArithDialect>();
  }

  Option<std::string> test{
      *this, "test",
      llvm::cl::desc("Program that is run with the name of a file; a status "
                     "that is not 0 says that the file is interesting")};
  ListOption<std::string> testArgs{
      *this, "test-arg", llvm::cl::desc("Argument in front of the file")};
  Option<unsigned> seconds{
      *this, "time-limit",
      llvm::cl::desc("Seconds after which a test says no; 0: none"),
      llvm::cl::init(60)};

  void runOnOperation() final {
    auto program = llvm::sys::findProgramByName(test.getValue());
    if (!program) {
      getOperation().emitError("expected a test that can be run, found '")
          << test.getValue() << "': " << program.getError().message();
      return signalPassFailure();
    }
    Tester tester(*program, {testArgs.begin(), testArgs.end()}, seconds);
    bool isInteresting = tester.isInteresting(getOperation());
    Reducer reducer(getOperation(), tester);
    if (isInteresting)
      reducer.run();
    if (!tester.error().empty()) {
      getOperation().emitError(tester.error());
      return signalPassFailure();
    }
    if (!isInteresting) {
      getOperation().emitError("expected an interesting program: '")
          << test.getValue() << "' ends with status 0 for it, or not in time";
      return signalPassFailure();
    }
    Cost before = costOf(getOperation()), after = costOf(reducer.result());
    llvm::errs() << "kiln-reduce: " << before[0] + before[1]
                 << " operations became " << after[0] + after[1] << " in "
                 << tester.numRuns() << " tests\n";
    getOperation()->setAttrs(reducer.result()->getAttrDictionary());
    getOperation().getBodyRegion().takeBody(reducer.result().getBodyRegion());
  }
};

/// Collects `--test` and what belongs to it, which mean the pass above.
std::vector<std::string> withPass(int argc, char **argv) {
  std::vector<std::string> args, options;
  for (int i = 0; i < argc; ++i) {
    llvm::StringRef arg = argv[i];
    llvm::StringRef flag = arg.ltrim('-');
    bool isOurs = false;
    for (llvm::StringRef name : {"test", "test-arg", "time-limit"}) {
      llvm::StringRef rest = flag;
      if (!arg.starts_with("-") || !rest.consume_front(name))
        continue;
      if (rest.empty() && i + 1 < argc)
        rest = argv[++i];
      else if (!rest.consume_front("="))
        continue;
      options.push_back((name + "='" + rest + "'").str());
      isOurs = true;
      break;
    }
    if (!isOurs)
      args.push_back(arg.str());
  }
  std::string pass = "--reduce-operations=";
  for (const std::string &option : options)
    pass += option + " ";
  if (!options.empty())
    args.push_back(pass);
  return args;
}

/// Takes the file of `-o FILE` or `-o=FILE` out of the arguments and puts
/// `instead` in its place; empty if there is none, or the standard output.
std::string redirectOutput(std::vector<std::string> &args,
                           const std::string &instead) {
  for (size_t i = 1; i < args.size(); ++i) {
    llvm::StringRef arg = args[i];
    if (arg.consume_front("-o=") || arg.consume_front("--o=")) {
      std::string file = arg.str();
      if (file != "-")
        args[i] = "-o=" + instead;
      return file == "-" ? "" : file;
    }
    if ((arg == "-o" || arg == "--o") && i + 1 < args.size()) {
      if (args[i + 1] == "-")
        return "";
      return std::exchange(args[i + 1], instead);
    }
  }
  return "";
}

/// Runs upstream's driver, which writes to its output while it works. A file is
/// written when all has gone well.
int reduce(std::vector<std::string> args, mlir::MLIRContext &context) {
  int memory = memfd_create("kiln-reduce", MFD_CLOEXEC);
  std::string inMemory = "/proc/self/fd/" + std::to_string(memory);
  std::string output = memory < 0 ? "" : redirectOutput(args, inMemory);
  std::vector<char *> pointers;
  for (std::string &arg : args)
    pointers.push_back(arg.data());
  pointers.push_back(nullptr);
  if (failed(mlir::mlirReduceMain(int(args.size()), pointers.data(), context)))
    return kiln::driver::kInputFailed;
  if (output.empty())
    return kiln::driver::kDone;
  auto made = llvm::MemoryBuffer::getFile(inMemory, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  std::string error = made ? "" : made.getError().message();
  if (!made ||
      !kiln::driver::writeOutput(output, (*made)->getBuffer(), error)) {
    llvm::errs() << "error: " << error << "\n";
    return kiln::driver::kInputFailed;
  }
  return kiln::driver::kDone;
}

/// Whether the arguments ask for nothing: without a pass upstream's driver
/// prints the program as it is.
bool asksForNothing(llvm::ArrayRef<std::string> args) {
  return llvm::all_of(args.drop_front(), [](llvm::StringRef arg) {
    return arg == "-" || !arg.starts_with("-") || arg == "-o";
  });
}
} // namespace

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  kiln::driver::guardOutput();
  auto run = [&] {
    auto named = kiln::target::extractLoadTargetFlags(argc, argv);
    if (!kiln::driver::initialize(named) ||
        !kiln::driver::isHarmlessFile(kiln::driver::inputArgument(argc, argv)))
      return int(kiln::driver::kInputFailed);
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    mlir::registerAllPasses();
    kiln::driver::registerDialects(registry);
    kiln::driver::registerPasses();
    mlir::PassRegistration<ReduceOperations>();
    mlir::MLIRContext context(registry);
    std::vector<std::string> args = withPass(argc, argv);
    if (asksForNothing(args)) {
      llvm::errs() << "kiln-reduce: error: expected --test=PROGRAM "
                      "(kiln-reduce --help lists the flags)\n";
      return int(kiln::driver::kInputFailed);
    }
    return reduce(std::move(args), context);
  };
  // Upstream's reader of command lines ends the process.
  return kiln::driver::runGuarded(kiln::driver::inputArgument(argc, argv), run,
                                  /*inProcess=*/false, /*mayExit=*/true);
}

//===- kiln-opt.cpp - mlir-opt with Kiln's dialects and passes ------------===//

#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/StandardStreams.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

/// The last argument that is no flag: the input, for a message after a crash.
static llvm::StringRef inputOf(int argc, char **argv) {
  for (int i = argc - 1; i > 0; --i)
    if (argv[i][0] != '-' && llvm::StringRef(argv[i - 1]) != "-o")
      return argv[i];
  return "<stdin>";
}

/// Looks at a text file before the parser does.
static bool isHarmless(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file || mlir::isBytecode((*file)->getMemBufferRef()))
    return true;
  auto problem = kiln::driver::scanText((*file)->getBuffer());
  if (problem)
    llvm::errs() << path << ":" << *problem << "\n";
  return !problem;
}

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  return kiln::driver::runGuarded(inputOf(argc, argv), [&] {
    // Plug-ins add passes, which are options: load them before options.
    auto named = kiln::target::extractLoadTargetFlags(argc, argv);
    if (!kiln::driver::initialize(named))
      return int(kiln::driver::kInputFailed);
    if (!isHarmless(inputOf(argc, argv)))
      return int(kiln::driver::kInputFailed);
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    mlir::registerAllPasses();
    kiln::driver::registerDialects(registry);
    kiln::driver::registerPasses();
    return mlir::asMainReturnCode(mlir::MlirOptMain(
        argc, argv,
        "Kiln's optimiser driver (--load-target=LIB loads a plug-in)\n",
        registry));
  });
}

//===- kiln-opt.cpp - mlir-opt with Kiln's dialects and passes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/StandardStreams.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  kiln::driver::guardOutput();
  return kiln::driver::runGuarded(kiln::driver::inputArgument(argc, argv), [&] {
    // Plug-ins add passes, which are options: load them before options.
    auto named = kiln::target::extractLoadTargetFlags(argc, argv);
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
    return mlir::asMainReturnCode(mlir::MlirOptMain(
        argc, argv,
        "Kiln's optimiser driver (--load-target=LIB loads a plug-in)\n",
        registry));
  });
}

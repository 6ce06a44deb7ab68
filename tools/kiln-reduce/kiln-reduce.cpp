//===- kiln-reduce.cpp - The test case reducer with Kiln's dialects -------===//

#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/StandardStreams.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  auto named = kiln::target::extractLoadTargetFlags(argc, argv);
  if (!kiln::driver::initialize(named))
    return kiln::driver::kInputFailed;
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  kiln::driver::registerDialects(registry);
  kiln::driver::registerPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}

//===- kiln-lsp-server.cpp - The language server with Kiln's dialects -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/StandardStreams.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  kiln::driver::guardOutput();
  auto named = kiln::target::extractLoadTargetFlags(argc, argv);
  if (!kiln::driver::initialize(named))
    return kiln::driver::kInputFailed;
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  kiln::driver::registerDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}

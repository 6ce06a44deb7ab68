//===- KilnMLIRPlugin.cpp - Kiln for the stock mlir-opt -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln-c/Runtime.h"
#include "kiln/Driver/Driver.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Kiln", kilnRuntimeVersion(),
          [](mlir::DialectRegistry *registry) {
            kiln::driver::initialize({});
            kiln::driver::registerDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Kiln", kilnRuntimeVersion(), [] {
            kiln::driver::initialize({});
            kiln::driver::registerPasses();
          }};
}

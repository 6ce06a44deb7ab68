//===- UpstreamDialects.cpp - Whose a dialect is --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UpstreamDialects.h"
#include "kiln/Frontend/Frontend.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/ADT/StringSet.h"

bool kiln::frontend::isUpstreamDialect(llvm::StringRef dialect) {
  static const llvm::StringSet<> names = [] {
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    llvm::StringSet<> result;
    for (llvm::StringRef name : registry.getDialectNames())
      result.insert(name);
    return result;
  }();
  return names.contains(dialect);
}

void kiln::frontend::registerUpstreamDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
}

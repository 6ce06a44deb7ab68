//===- ModuleOptions.cpp - Options of a module's target -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/ModuleOptions.h"
#include "kiln/Dialect/Kiln/Description.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

static StringAttr specOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto spec = op->getAttrOfType<StringAttr>(kSpecAttr))
      return spec;
  return {};
}

std::optional<TargetOptions> target::findModuleOptions(Operation *op) {
  std::string error;
  StringAttr spec = specOf(op);
  return spec ? TargetOptions::parse(spec.getValue(), error) : std::nullopt;
}

FailureOr<TargetOptions> target::readModuleOptions(ModuleOp module) {
  StringAttr spec = specOf(module);
  if (!spec)
    return TargetOptions();
  std::string error;
  std::optional<TargetOptions> options =
      TargetOptions::parse(spec.getValue(), error);
  if (!options)
    return module.emitError() << kSpecAttr << ": " << error;
  return *options;
}

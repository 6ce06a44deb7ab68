//===- ForeignOperation.cpp - Operations of plug-ins ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/ForeignOperation.h"
#include "kiln/Target/Activity.h"
#include "mlir/IR/Dialect.h"

using namespace mlir;
using namespace kiln::target;

std::string kiln::target::pluginOfOperation(Operation *op) {
  Dialect *dialect = op->getDialect();
  // Where its table of virtual functions is, its code is.
  return dialect ? pluginOfCode(*reinterpret_cast<void **>(dialect)) : "";
}

std::string kiln::target::whyNoLowering(Operation *op, StringRef target) {
  StringRef name = op->getName().getStringRef();
  std::string plugin = pluginOfOperation(op);
  if (plugin.empty())
    return name.str();
  return ("operation '" + name + "' of plug-in '" + plugin +
          "' has no lowering for '" + target +
          "': register one by addLowering({NAME, \"" + target + "\", \"" +
          name + "\", ...}), or implement CompositeOpInterface")
      .str();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of depot.td as a plug-in: it registers its operations, and nothing else.
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Target/Plugin.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include "depot.dialect.h.inc"
#define GET_OP_CLASSES
#include "depot.ops.h.inc"

#include "depot.dialect.cpp.inc"
#define GET_OP_CLASSES
#include "depot.ops.cpp.inc"

using namespace mlir;
using namespace kiln;

void depot::DepotDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "depot.ops.cpp.inc"
      >();
}

static void addDialect(DialectRegistry &dialects) { dialects.insert<depot::DepotDialect>(); }

static void registerAll(target::TargetRegistry &registry) { registry.addDialects(addDialect); }

KILN_TARGET_PLUGIN("depot", "1.0", registerAll)

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of tensors.td as a plug-in: it registers its operations, and nothing else.
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Interfaces/Work.h"
#include "kiln/Target/Plugin.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tensors.dialect.h.inc"
#define GET_OP_CLASSES
#include "tensors.ops.h.inc"

#include "tensors.dialect.cpp.inc"
#define GET_OP_CLASSES
#include "tensors.ops.cpp.inc"

using namespace mlir;
using namespace kiln;

void tensors::TensorsDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tensors.ops.cpp.inc"
      >();
}

std::optional<int64_t> tensors::CountOp::getCountedDim() { return int64_t(getDim()); }

static void addDialect(DialectRegistry &dialects) { dialects.insert<tensors::TensorsDialect>(); }

static void registerAll(target::TargetRegistry &registry) { registry.addDialects(addDialect); }

KILN_TARGET_PLUGIN("tensors", "1.0", registerAll)

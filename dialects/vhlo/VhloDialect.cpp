//===- VhloDialect.cpp - the vhlo dialect ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Vhlo/Vhlo.h"

#include "kiln/Dialect/Stablehlo/Stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kiln::vhlo;

#include "kiln/Dialect/Vhlo/VhloOpsDialect.cpp.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Vhlo/VhloOps.cpp.inc"

void VhloDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Vhlo/VhloOps.cpp.inc"
      >();
}

void VhloDialect::initialize() {
  registerOps();
  addBytecodeInterface(*this);
}

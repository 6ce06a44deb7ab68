//===- ChloDialect.cpp - the chlo dialect ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Chlo/Chlo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::chlo;

#include "kiln/Dialect/Chlo/ChloBase.cpp.inc"
#include "kiln/Dialect/Chlo/ChloBaseEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Chlo/ChloBaseAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Chlo/ChloOps.cpp.inc"

void ChloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Chlo/ChloBaseAttrs.cpp.inc"
      >();
}

void ChloDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Chlo/ChloOps.cpp.inc"
      >();
}

void ChloDialect::initialize() {
  registerAttributes();
  registerOps();
}

//===- StablehloDialect.cpp - the stablehlo dialect -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stablehlo/Stablehlo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::stablehlo;

#include "kiln/Dialect/Stablehlo/StablehloBase.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloTypes.cpp.inc"

void StablehloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "kiln/Dialect/Stablehlo/StablehloTypes.cpp.inc"
      >();
}

void StablehloDialect::initialize() {
  registerTypes();
  registerAttributes();
  registerElementwiseOps();
  registerMovementOps();
  registerRegionOps();
  registerProductOps();
  registerControlOps();
  registerDynamicOps();
  registerExchangeOps();
}

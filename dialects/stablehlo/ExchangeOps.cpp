//===- ExchangeOps.cpp - operations between processes ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

using namespace mlir;
using namespace kiln::stablehlo;

#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloExchangeOps.cpp.inc"

void StablehloDialect::registerExchangeOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stablehlo/StablehloExchangeOps.cpp.inc"
      >();
}

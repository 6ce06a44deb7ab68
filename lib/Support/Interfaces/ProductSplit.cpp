//===- ProductSplit.cpp - How a product is split into blocks --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/ProductSplit.h"

using namespace mlir;

#include "kiln/Interfaces/ProductSplit.cpp.inc"

#include "kiln/Interfaces/ProductSplitOp.cpp.inc"

//===- DebugOps.cpp - output and assertions -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Triton/Triton.h"

using namespace mlir;
using namespace kiln::tt;

#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonDebugOps.cpp.inc"

void TritonDialect::registerDebugOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Triton/TritonDebugOps.cpp.inc"
      >();
}

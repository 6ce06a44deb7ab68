// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host computes itself.
#include "kiln/Dialect/Program/HostOps.h"

using namespace mlir;
using namespace kiln::program;

#define GET_OP_CLASSES
#include "kiln/Dialect/Program/HostOps.cpp.inc"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SystolicDialect.h"

#include "SystolicOpsDialect.cpp.inc"
#define GET_OP_CLASSES
#include "SystolicOps.cpp.inc"

void systolic::SystolicDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "SystolicOps.cpp.inc"
      >();
}

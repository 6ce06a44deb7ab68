// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "@Name@Dialect.h"

#include "@Name@OpsDialect.cpp.inc"
#include "@Name@OpsEnums.cpp.inc"
#define GET_OP_CLASSES
#include "@Name@Ops.cpp.inc"

void @name@::@Name@Dialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "@Name@Ops.cpp.inc"
      >();
}

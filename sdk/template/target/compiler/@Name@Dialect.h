// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of compiler/@Name@Ops.td.
#ifndef @NAME@_DIALECT_H
#define @NAME@_DIALECT_H

#include "kiln/Dialect/Tile/Tile.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "@Name@OpsDialect.h.inc"
#include "@Name@OpsEnums.h.inc"
#define GET_OP_CLASSES
#include "@Name@Ops.h.inc"

#endif

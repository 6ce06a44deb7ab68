//===- Sdy.h - the sdy dialect ----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meshes and shardings of Shardy as an input of Kiln.
//
//===----------------------------------------------------------------------===//
#ifndef KILN_DIALECT_SDY_SDY_H
#define KILN_DIALECT_SDY_SDY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Sdy/SdyOpsDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Sdy/SdyOpsAttrs.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Sdy/SdyOps.h.inc"

namespace kiln::sdy {

/// Reads attributes as Shardy's bytecode has them.
void addBytecodeInterface(SdyDialect &dialect);

} // namespace kiln::sdy

#endif // KILN_DIALECT_SDY_SDY_H

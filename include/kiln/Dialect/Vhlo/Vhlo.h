//===- Vhlo.h - the vhlo dialect --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Versioned operations of StableHLO's portable artifacts, and how they become
// operations of StableHLO.
//
//===----------------------------------------------------------------------===//
#ifndef KILN_DIALECT_VHLO_VHLO_H
#define KILN_DIALECT_VHLO_VHLO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "kiln/Dialect/Vhlo/VhloOpsDialect.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Vhlo/VhloOps.h.inc"

namespace kiln::vhlo {

/// Reads types and attributes of the format.
void addBytecodeInterface(VhloDialect &dialect);

/// Makes operations of StableHLO and functions of those of a module.
llvm::LogicalResult convertToStablehlo(mlir::ModuleOp module);

} // namespace kiln::vhlo

#endif // KILN_DIALECT_VHLO_VHLO_H

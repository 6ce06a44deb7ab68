//===- Stablehlo.h - the stablehlo dialect ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Operations, types and attributes of StableHLO as an input of Kiln.
//
//===----------------------------------------------------------------------===//
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLO_H
#define KILN_DIALECT_STABLEHLO_STABLEHLO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::stablehlo {

/// A list of numbers in brackets, `?` among them.
mlir::FailureOr<llvm::SmallVector<int64_t>> parseDims(mlir::AsmParser &parser);
void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dims);

} // namespace kiln::stablehlo

#include "kiln/Dialect/Stablehlo/StablehloAttrsEnums.h.inc"
#include "kiln/Dialect/Stablehlo/StablehloBase.h.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloAttrs.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloMovementOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloRegionOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloProductOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloControlOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloDynamicOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloExchangeOps.h.inc"

#endif // KILN_DIALECT_STABLEHLO_STABLEHLO_H

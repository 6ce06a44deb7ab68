//===- KernelOps.h - Kernels and the grid -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_KERNELOPS_H
#define KILN_DIALECT_TILE_KERNELOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Index/IndexInterfaces.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/KernelOps.h.inc"

#endif // KILN_DIALECT_TILE_KERNELOPS_H

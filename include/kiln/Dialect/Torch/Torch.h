//===- Torch.h - the torch dialect ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of ONNX as torch-mlir's importer writes them, as an input of Kiln.
//
//===----------------------------------------------------------------------===//
#ifndef KILN_DIALECT_TORCH_TORCH_H
#define KILN_DIALECT_TORCH_TORCH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Torch/TorchOpsDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Torch/TorchTypes.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Torch/TorchOps.h.inc"

#endif // KILN_DIALECT_TORCH_TORCH_H

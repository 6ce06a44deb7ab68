//===- Triton.h - the tt dialect --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Operations and types of Triton's IR as an input of Kiln.
//
//===----------------------------------------------------------------------===//
#ifndef KILN_DIALECT_TRITON_TRITON_H
#define KILN_DIALECT_TRITON_TRITON_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Triton/TritonAttrsEnums.h.inc"
#include "kiln/Dialect/Triton/TritonBase.h.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Triton/TritonTypes.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonFunctionOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonPointerOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonTensorOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonComputeOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonRegionOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonDescriptorOps.h.inc"
#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonDebugOps.h.inc"

#endif // KILN_DIALECT_TRITON_TRITON_H

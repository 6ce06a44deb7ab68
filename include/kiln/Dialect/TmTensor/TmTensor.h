//===- TmTensor.h - the tm_tensor dialect -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that torch-mlir writes beside linalg, as an input of Kiln.
//
//===----------------------------------------------------------------------===//
#ifndef KILN_DIALECT_TMTENSOR_TMTENSOR_H
#define KILN_DIALECT_TMTENSOR_TMTENSOR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/TmTensor/TmTensorOpsDialect.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/TmTensor/TmTensorOps.h.inc"

#endif // KILN_DIALECT_TMTENSOR_TMTENSOR_H

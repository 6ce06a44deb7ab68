//===- ScriptOps.h - Operations of schedule scripts -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_SCRIPT_SCRIPTOPS_H
#define KILN_SCRIPT_SCRIPTOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "kiln/Script/ScriptOps.h.inc"

#endif // KILN_SCRIPT_SCRIPTOPS_H

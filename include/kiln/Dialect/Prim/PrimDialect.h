// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prim dialect and the enumerations of its attributes.
#ifndef KILN_DIALECT_PRIM_PRIMDIALECT_H
#define KILN_DIALECT_PRIM_PRIMDIALECT_H

#include "kiln/Interfaces/ExactResult.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::prim {
// What the regions that `prim.yield` ends belong to.
class ClaimOp;
class FusionOp;
class IfOp;
class ReduceOp;
class ReduceWindowOp;
class WhileOp;
} // namespace kiln::prim

#include "kiln/Dialect/Prim/PrimBase.h.inc"

#include "kiln/Dialect/Prim/PrimAttrsEnums.h.inc"

#endif // KILN_DIALECT_PRIM_PRIMDIALECT_H

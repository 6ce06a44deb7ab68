// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prims that move elements without changing them.
#ifndef KILN_DIALECT_PRIM_MOVEMENTOPS_H
#define KILN_DIALECT_PRIM_MOVEMENTOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/MovementOps.h.inc"

#endif // KILN_DIALECT_PRIM_MOVEMENTOPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of prims: fusions and claims.
#ifndef KILN_DIALECT_PRIM_GROUPOPS_H
#define KILN_DIALECT_PRIM_GROUPOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/GroupOps.h.inc"

#endif // KILN_DIALECT_PRIM_GROUPOPS_H

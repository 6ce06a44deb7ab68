// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts at computed places of the prim dialect.
#ifndef KILN_DIALECT_PRIM_DYNAMICOPS_H
#define KILN_DIALECT_PRIM_DYNAMICOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/DynamicOps.h.inc"

#endif // KILN_DIALECT_PRIM_DYNAMICOPS_H

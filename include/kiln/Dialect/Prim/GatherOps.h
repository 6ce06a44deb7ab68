// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indexed reading of the prim dialect.
#ifndef KILN_DIALECT_PRIM_GATHEROPS_H
#define KILN_DIALECT_PRIM_GATHEROPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/GatherOps.h.inc"

#endif // KILN_DIALECT_PRIM_GATHEROPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders of the prim dialect.
#ifndef KILN_DIALECT_PRIM_SORTOPS_H
#define KILN_DIALECT_PRIM_SORTOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/SortOps.h.inc"

#endif // KILN_DIALECT_PRIM_SORTOPS_H

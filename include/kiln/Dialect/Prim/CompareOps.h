// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison and selection of the prim dialect.
#ifndef KILN_DIALECT_PRIM_COMPAREOPS_H
#define KILN_DIALECT_PRIM_COMPAREOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CompareOps.h.inc"

#endif // KILN_DIALECT_PRIM_COMPAREOPS_H

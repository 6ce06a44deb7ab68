// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise arithmetic, functions and bits of the prim dialect.
#ifndef KILN_DIALECT_PRIM_ELEMENTWISEOPS_H
#define KILN_DIALECT_PRIM_ELEMENTWISEOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ElementwiseOps.h.inc"

#endif // KILN_DIALECT_PRIM_ELEMENTWISEOPS_H

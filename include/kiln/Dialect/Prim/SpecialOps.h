// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special functions, in the prim dialect.
#ifndef KILN_DIALECT_PRIM_SPECIALOPS_H
#define KILN_DIALECT_PRIM_SPECIALOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/SpecialOps.h.inc"

#endif // KILN_DIALECT_PRIM_SPECIALOPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of element types of the prim dialect.
#ifndef KILN_DIALECT_PRIM_CONVERTOPS_H
#define KILN_DIALECT_PRIM_CONVERTOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ConvertOps.h.inc"

#endif // KILN_DIALECT_PRIM_CONVERTOPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations on bits of the prim dialect.
#ifndef KILN_DIALECT_PRIM_BITWISEOPS_H
#define KILN_DIALECT_PRIM_BITWISEOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/BitwiseOps.h.inc"

#endif // KILN_DIALECT_PRIM_BITWISEOPS_H

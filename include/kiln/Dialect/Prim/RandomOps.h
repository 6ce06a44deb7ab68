// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random bits, in the prim dialect.
#ifndef KILN_DIALECT_PRIM_RANDOMOPS_H
#define KILN_DIALECT_PRIM_RANDOMOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/RandomOps.h.inc"

#endif // KILN_DIALECT_PRIM_RANDOMOPS_H

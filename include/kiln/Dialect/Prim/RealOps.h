// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What floats are made of, in the prim dialect.
#ifndef KILN_DIALECT_PRIM_REALOPS_H
#define KILN_DIALECT_PRIM_REALOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/RealOps.h.inc"

#endif // KILN_DIALECT_PRIM_REALOPS_H

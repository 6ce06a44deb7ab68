// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of floats, in the prim dialect.
#ifndef KILN_DIALECT_PRIM_FUNCTIONOPS_H
#define KILN_DIALECT_PRIM_FUNCTIONOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/FunctionOps.h.inc"

#endif // KILN_DIALECT_PRIM_FUNCTIONOPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prims that make tensors from nothing.
#ifndef KILN_DIALECT_PRIM_CREATIONOPS_H
#define KILN_DIALECT_PRIM_CREATIONOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CreationOps.h.inc"

#endif // KILN_DIALECT_PRIM_CREATIONOPS_H

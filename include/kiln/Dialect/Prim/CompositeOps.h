// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prims that have a decomposition into simpler ones.
#ifndef KILN_DIALECT_PRIM_COMPOSITEOPS_H
#define KILN_DIALECT_PRIM_COMPOSITEOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"
#include "kiln/Interfaces/Accumulation.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CompositeOps.h.inc"

#endif // KILN_DIALECT_PRIM_COMPOSITEOPS_H

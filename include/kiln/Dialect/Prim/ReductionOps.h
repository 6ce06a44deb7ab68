// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of the prim dialect.
#ifndef KILN_DIALECT_PRIM_REDUCTIONOPS_H
#define KILN_DIALECT_PRIM_REDUCTIONOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"
#include "kiln/Interfaces/Accumulation.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ReductionOps.h.inc"

#endif // KILN_DIALECT_PRIM_REDUCTIONOPS_H

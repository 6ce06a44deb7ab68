// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions with any combiner of the prim dialect.
#ifndef KILN_DIALECT_PRIM_COMBINEOPS_H
#define KILN_DIALECT_PRIM_COMBINEOPS_H

#include "kiln/Dialect/Prim/GroupOps.h"
#include "kiln/Interfaces/Accumulation.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CombineOps.h.inc"

#endif // KILN_DIALECT_PRIM_COMBINEOPS_H

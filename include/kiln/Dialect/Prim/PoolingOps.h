// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling of the prim dialect.
#ifndef KILN_DIALECT_PRIM_POOLINGOPS_H
#define KILN_DIALECT_PRIM_POOLINGOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"
#include "kiln/Interfaces/Accumulation.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/PoolingOps.h.inc"

#endif // KILN_DIALECT_PRIM_POOLINGOPS_H

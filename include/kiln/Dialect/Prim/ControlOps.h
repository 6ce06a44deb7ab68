// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and loops of the prim dialect.
#ifndef KILN_DIALECT_PRIM_CONTROLOPS_H
#define KILN_DIALECT_PRIM_CONTROLOPS_H

#include "kiln/Dialect/Prim/GroupOps.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ControlOps.h.inc"

#endif // KILN_DIALECT_PRIM_CONTROLOPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls back to the process that runs a program, of the prim dialect.
#ifndef KILN_DIALECT_PRIM_CALLBACKOPS_H
#define KILN_DIALECT_PRIM_CALLBACKOPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"
#include "kiln/Interfaces/HostOp.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CallbackOps.h.inc"

#endif // KILN_DIALECT_PRIM_CALLBACKOPS_H

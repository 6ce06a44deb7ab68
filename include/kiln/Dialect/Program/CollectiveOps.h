// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks, of the program dialect.
#ifndef KILN_DIALECT_PROGRAM_COLLECTIVEOPS_H
#define KILN_DIALECT_PROGRAM_COLLECTIVEOPS_H

#include "kiln/Dialect/Program/Program.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Program/CollectiveOps.h.inc"

#endif // KILN_DIALECT_PROGRAM_COLLECTIVEOPS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms of tensors.
#ifndef KILN_DIALECT_PRIM_FOURIEROPS_H
#define KILN_DIALECT_PRIM_FOURIEROPS_H

#include "kiln/Dialect/Prim/PrimDialect.h"
#include "kiln/Interfaces/Accumulation.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/FourierOps.h.inc"

#endif // KILN_DIALECT_PRIM_FOURIEROPS_H

//===- RingOps.h - Rings ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_STAGE_RINGOPS_H
#define KILN_DIALECT_STAGE_RINGOPS_H

#include "kiln/Dialect/Stage/ComputeOps.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/RingOps.h.inc"

#endif // KILN_DIALECT_STAGE_RINGOPS_H

//===- ComputeOps.h - Regions -----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_STAGE_COMPUTEOPS_H
#define KILN_DIALECT_STAGE_COMPUTEOPS_H

#include "kiln/Dialect/Stage/StageDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/ComputeOps.h.inc"

#endif // KILN_DIALECT_STAGE_COMPUTEOPS_H

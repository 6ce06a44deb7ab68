//===- Stage.h - Everything of the stage dialect ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_STAGE_STAGE_H
#define KILN_DIALECT_STAGE_STAGE_H

#include "kiln/Dialect/Stage/ComputeOps.h"
#include "kiln/Dialect/Stage/CopyOps.h"
#include "kiln/Dialect/Stage/ProductOps.h"
#include "kiln/Dialect/Stage/RingOps.h"
#include "kiln/Dialect/Stage/StageDialect.h"
#include "kiln/Dialect/Stage/StorageOps.h"

#endif // KILN_DIALECT_STAGE_STAGE_H

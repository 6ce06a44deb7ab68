//===- CopyOps.h - Copies and waits -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_STAGE_COPYOPS_H
#define KILN_DIALECT_STAGE_COPYOPS_H

#include "kiln/Dialect/Stage/StageDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/CopyOps.h.inc"

#endif // KILN_DIALECT_STAGE_COPYOPS_H

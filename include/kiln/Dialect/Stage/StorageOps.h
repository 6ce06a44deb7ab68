//===- StorageOps.h - Storage, and tiles in and out of it -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_STAGE_STORAGEOPS_H
#define KILN_DIALECT_STAGE_STORAGEOPS_H

#include "kiln/Dialect/Stage/StageDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/StorageOps.h.inc"

#endif // KILN_DIALECT_STAGE_STORAGEOPS_H

//===- IndexInterfaces.h - What operations know of indices ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INDEX_INDEXINTERFACES_H
#define KILN_INDEX_INDEXINTERFACES_H

#include "kiln/Index/Facts.h"
#include "mlir/IR/OpDefinition.h"

#include "kiln/Index/IndexInterfaces.h.inc"

#endif // KILN_INDEX_INDEXINTERFACES_H

//===- AsyncCopy.h - Copies in flight as an interface -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_ASYNCCOPY_H
#define KILN_INTERFACES_ASYNCCOPY_H

#include "mlir/IR/OpDefinition.h"

#include "kiln/Interfaces/AsyncCopy.h.inc"

#endif // KILN_INTERFACES_ASYNCCOPY_H

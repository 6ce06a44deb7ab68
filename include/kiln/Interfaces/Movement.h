//===- Movement.h - Operations that move elements ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interfaces of operations that move the elements of tensors or tiles and
// change none. The operations of `prim` and `tile` implement them, and so can
// those of a plug-in.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_MOVEMENT_H
#define KILN_INTERFACES_MOVEMENT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

#include "kiln/Interfaces/Movement.h.inc"

#endif // KILN_INTERFACES_MOVEMENT_H

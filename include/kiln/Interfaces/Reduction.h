//===- Reduction.h - Reductions as an interface ------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_REDUCTION_H
#define KILN_INTERFACES_REDUCTION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include "kiln/Interfaces/Reduction.h.inc"

#endif // KILN_INTERFACES_REDUCTION_H

//===- LayoutConversion.h - Tiles in another layout -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_SIMT_LAYOUTCONVERSION_H
#define KILN_DIALECT_SIMT_LAYOUTCONVERSION_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include "kiln/Dialect/Simt/LayoutConversion.h.inc"

#endif // KILN_DIALECT_SIMT_LAYOUTCONVERSION_H

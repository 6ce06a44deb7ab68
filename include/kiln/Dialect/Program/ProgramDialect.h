//===- ProgramDialect.h - The program dialect -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_PROGRAM_PROGRAMDIALECT_H
#define KILN_DIALECT_PROGRAM_PROGRAMDIALECT_H

#include "mlir/IR/Dialect.h"
#include "llvm/ADT/StringRef.h"

#include "kiln/Dialect/Program/ProgramBase.h.inc"

#endif // KILN_DIALECT_PROGRAM_PROGRAMDIALECT_H

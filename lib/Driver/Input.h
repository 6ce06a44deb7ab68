//===- Input.h - Reading programs -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_INPUT_H
#define KILN_LIB_DRIVER_INPUT_H

#include "Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::driver {

/// Parses text or bytecode, or lets the frontend read whose format the input
/// has. Bytecode that is not trusted is tried in a child process first.
mlir::OwningOpRef<mlir::ModuleOp> readInput(llvm::MemoryBufferRef input,
                                            mlir::MLIRContext *context,
                                            DiagnosticPrinter &printer,
                                            bool isTrusted = false);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_INPUT_H

//===- Input.h - Reading programs -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_INPUT_H
#define KILN_LIB_DRIVER_INPUT_H

#include "Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::driver {

/// Parses text or bytecode; hostile bytecode is tried in a child process first.
mlir::OwningOpRef<mlir::ModuleOp> readInput(llvm::MemoryBufferRef input,
                                            mlir::MLIRContext *context,
                                            DiagnosticPrinter &printer);

/// What a module holds, told by its dialects.
struct InputKind {
  bool frontend =
      false; ///< operations that convert-tosa-to-prim has to convert
  bool functions = false;
  bool tile = false;   ///< kernels or host programs
  bool triton = false; ///< kernels that convert-triton-to-tile has to convert
};
InputKind detect(mlir::ModuleOp module);

/// Removes everything that no function or kernel of a name in `entries` needs;
/// public are those only. No names stand for all public ones. Whatever else the
/// file holds, for whichever tool, does not reach the passes. Of several
/// modules in a file the one with functions counts.
mlir::LogicalResult keepNeeded(mlir::ModuleOp module,
                               llvm::ArrayRef<std::string> entries);

/// Whether a dialect comes with MLIR, rather than with Kiln or a plug-in.
bool isUpstreamDialect(llvm::StringRef dialect);

/// Reports values with more elements than any memory has.
mlir::LogicalResult checkSizes(mlir::ModuleOp module);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_INPUT_H

//===- Input.h - Reading programs -------------------------------*- C++ -*-===//

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
  bool frontend = false; ///< operations that tosa-to-prim has to convert
  bool functions = false;
  bool tile = false;   ///< kernels or host programs
  bool triton = false; ///< kernels that triton-to-tile has to convert
};
InputKind detect(mlir::ModuleOp module);

/// Removes functions and kernels that no entry of a name in `entries` needs;
/// public are the entries only. No names at all leave everything as it is.
mlir::LogicalResult keepEntries(mlir::ModuleOp module,
                                llvm::ArrayRef<std::string> entries);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_INPUT_H

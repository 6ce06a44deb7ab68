//===- Context.h - The MLIR context of a compilation ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading the dialects and giving them back takes a fourth of the time of a
// small program. A process that waits for its request loads them ahead, and
// one that ends behind its compilation gives nothing back.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_CONTEXT_H
#define KILN_LIB_DRIVER_CONTEXT_H

#include "kiln/Driver/Driver.h"
#include "mlir/IR/MLIRContext.h"

namespace kiln::driver {

/// Destroys a context, unless `keepContexts` was called.
struct ContextDeleter {
  void operator()(mlir::MLIRContext *context) const;
};
using ContextPtr = std::unique_ptr<mlir::MLIRContext, ContextDeleter>;

/// A context with the dialects that a compilation needs: the one that was
/// prepared where the options load no plug-in and evaluate nothing.
ContextPtr takeContext(const CompileOptions &options);

/// Makes the context of the next compilation in this process.
void prepareContext();

/// Says that this process ends behind its compilation.
void keepContexts();

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_CONTEXT_H

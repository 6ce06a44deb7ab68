//===- OwnDiagnostics.h - What one thread reports ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_OWNDIAGNOSTICS_H
#define KILN_INTERFACES_OWNDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include <thread>

namespace kiln {

/// Takes what the thread that makes it reports, as long as it lives. A context
/// has one list of handlers for all threads, and passes run on several kernels
/// at once: a handler of MLIR's would take what they report, too. `take` gives
/// failure for what the next handler should have.
class OwnDiagnostics : public mlir::ScopedDiagnosticHandler {
public:
  template <typename TakeT>
  OwnDiagnostics(mlir::MLIRContext *context, TakeT take)
      : ScopedDiagnosticHandler(context) {
    setHandler([take = std::move(take), own = std::this_thread::get_id()](
                   mlir::Diagnostic &diag) mutable -> llvm::LogicalResult {
      return own == std::this_thread::get_id() ? take(diag) : llvm::failure();
    });
  }
};

} // namespace kiln

#endif // KILN_INTERFACES_OWNDIAGNOSTICS_H

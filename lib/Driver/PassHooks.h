//===- PassHooks.h - Whose passes run and fail ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_PASSHOOKS_H
#define KILN_LIB_DRIVER_PASSHOOKS_H

#include "Diagnostics.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <atomic>

namespace kiln::driver {

/// Makes every pass of a pass manager an activity, and remembers the one that
/// failed.
class PassHooks : public mlir::PassInstrumentation {
public:
  /// `printer` counts errors, so that a pass that reports one and goes on is
  /// one that failed; null: passes say themselves whether they fail.
  explicit PassHooks(const DiagnosticPrinter *printer = nullptr)
      : printer(printer) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override;

  /// After a failure: names the pass where nothing was said, and plug-ins whose
  /// code took part. `before` is the number of errors before the passes ran.
  void explain(DiagnosticPrinter &printer, unsigned before,
               mlir::MLIRContext *context) const;

private:
  const std::string &ownerOf(mlir::Pass *pass);
  void keepFailed(mlir::Pass *pass, mlir::Operation *op);

  const DiagnosticPrinter *printer;
  std::atomic<unsigned> known{0}; ///< errors before the latest pass
  llvm::DenseMap<mlir::Pass *, std::string> owners;
  llvm::SetVector<mlir::Pass *> foreign; ///< of plug-ins, in order
  mlir::Pass *failed = nullptr;
  std::string place, kernels; ///< of the operation that it failed for
};

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_PASSHOOKS_H

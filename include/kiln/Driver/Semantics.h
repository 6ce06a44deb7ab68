//===- Semantics.h - Evaluation before and after each pass ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --verify-semantics does. Functions and kernels are evaluated before and
// after each pass; the first pass after which one of them computes something
// else is named. Results may differ where there are sums, contracted or
// approximated arithmetic: by what the contracts of the operations before the
// pass allow at each element, and by some roundings of the largest one. What is
// exact may differ by no bit. What comes below the last level that can be
// evaluated runs on the device, and is compared with that level.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DRIVER_SEMANTICS_H
#define KILN_DRIVER_SEMANTICS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kiln::driver {

/// How a check runs.
struct SemanticsOptions {
  /// Seconds that one evaluation may take; 0: no limit. An entry whose
  /// evaluation takes longer is not compared, but counted as slow.
  double seconds = 10;
  /// Arguments of the entry, FILE.npy[+N] or TYPE:VALUE each, and the grid of a
  /// kernel; empty: they are invented.
  std::vector<std::string> args;
  std::string grid;
};

/// The findings of a check.
struct SemanticsResult {
  int64_t compared = 0;   ///< entries, sizes and passes
  int64_t changed = 0;    ///< entries that a pass has changed
  int64_t devices = 0;    ///< comparisons with results of a device
  int64_t slow = 0;       ///< entries whose evaluation takes longer than it may
  bool wrongArgs = false; ///< whether no kernel takes the given arguments
  bool failed() const { return changed || wrongArgs; }
  std::string str() const;
};

/// Checks the pass managers of one compilation, which run on one thread, in a
/// context whose dialects can be evaluated (kiln::eval::registerEvaluation).
class SemanticsCheck {
public:
  SemanticsCheck(const SemanticsOptions &options, mlir::MLIRContext *context);
  ~SemanticsCheck();
  SemanticsCheck(const SemanticsCheck &) = delete;

  /// Returns the check of a context, or null if nothing is checked there.
  static SemanticsCheck *of(mlir::MLIRContext *context);

  /// Evaluates around the passes of `pm`. Errors are reported at the entries.
  void attach(mlir::PassManager &pm);

  /// Calls the entries of a package on the device of `spec`, and compares with
  /// what the last pass that could be evaluated has left.
  void compareDevice(llvm::StringRef package, llvm::StringRef spec);

  const SemanticsResult &result() const;

  class Impl;

private:
  std::unique_ptr<Impl> impl;
};

} // namespace kiln::driver

#endif // KILN_DRIVER_SEMANTICS_H

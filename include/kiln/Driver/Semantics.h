//===- Semantics.h - Evaluation before and after each pass ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DRIVER_SEMANTICS_H
#define KILN_DRIVER_SEMANTICS_H

#include "mlir/Pass/PassInstrumentation.h"
#include <cstdint>
#include <memory>

namespace kiln::driver {

/// What a check has found.
struct SemanticsResult {
  int64_t compared = 0; ///< entries, sizes and passes
  int64_t changed = 0;  ///< entries that a pass has changed
};

/// Evaluates the functions and kernels of the module on invented arguments
/// before and after each pass, and reports the first pass that changes what one
/// of them computes: by any bit, or by more than the order of a sum explains
/// where there are sums. What cannot be evaluated, on either side, is not
/// compared. `result` outlives the pass manager, which runs on one thread, in a
/// context whose dialects can be evaluated (kiln::eval::registerEvaluation).
std::unique_ptr<mlir::PassInstrumentation>
createSemanticsCheck(SemanticsResult &result);

} // namespace kiln::driver

#endif // KILN_DRIVER_SEMANTICS_H

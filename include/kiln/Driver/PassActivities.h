//===- PassActivities.h - Whose pass runs -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DRIVER_PASSACTIVITIES_H
#define KILN_DRIVER_PASSACTIVITIES_H

#include "mlir/Pass/PassInstrumentation.h"
#include <memory>

namespace kiln::driver {

/// Makes every pass of a pass manager an activity (kiln/Target/Activity.h), so
/// that a pass that crashes, hangs or exits is named.
std::unique_ptr<mlir::PassInstrumentation> makePassActivities();

} // namespace kiln::driver

#endif // KILN_DRIVER_PASSACTIVITIES_H

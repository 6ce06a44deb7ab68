//===- Work.h - What an operation counts in reports -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_WORK_H
#define KILN_INTERFACES_WORK_H

#include "mlir/IR/OpDefinition.h"

namespace kiln {

/// `each` operations for every element of `over`.
struct Work {
  mlir::Value over;
  int64_t each = 0;
};

} // namespace kiln

#include "kiln/Interfaces/Work.h.inc"

namespace kiln {

/// What `op` counts: by the interface; 1 for each element of the result of
/// elementwise operations without it, nothing for others.
Work getWork(mlir::Operation *op);

} // namespace kiln

#endif // KILN_INTERFACES_WORK_H

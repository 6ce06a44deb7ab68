//===- ScanCombiner.h - What a scan combines its elements with --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_SCANCOMBINER_H
#define KILN_LIB_SCHEDULE_SCANCOMBINER_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Combines values, or values with their indices; scalars and tiles alike.
struct ScanCombiner {
  prim::ScanKind kind;
  bool withIndex, reverse;

  /// Combines `x` with `y`, which comes behind it in the order of the scan.
  llvm::SmallVector<mlir::Value> operator()(mlir::OpBuilder &b,
                                            mlir::Location loc,
                                            mlir::ValueRange x,
                                            mlir::ValueRange y) const;
  /// The neutral element: combined with it, a value stays what it is.
  mlir::TypedAttr neutral(mlir::Type element) const;
  /// The type that values of a type are combined in.
  mlir::Type wideType(mlir::Type element) const;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SCANCOMBINER_H

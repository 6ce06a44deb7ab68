//===- SortKeys.h - Elements as integers in the order of a sort -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_LIB_SCHEDULE_SORTKEYS_H
#define KILN_LIB_SCHEDULE_SORTKEYS_H

#include "kiln/Dialect/Prim/Prim.h"

namespace kiln::schedule {

/// What decides which element comes first.
struct SortOrder {
  bool descending, total, isUnsigned;

  static SortOrder of(prim::ArgsortOp op) {
    return {op.getDescending(), op.getTotalOrder(), op.getUnsignedOrder()};
  }
};

/// The elements of a tile as signed integers of type `key`, which is as wide as
/// they are or wider: the element that comes first has the least one, and
/// elements that the order takes for equal have equal ones.
mlir::Value sortKeys(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile,
                     mlir::IntegerType key, const SortOrder &order);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SORTKEYS_H

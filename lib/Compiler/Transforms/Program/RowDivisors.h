//===- RowDivisors.h - What wide accesses of rows need ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TRANSFORMS_PROGRAM_ROWDIVISORS_H
#define KILN_LIB_TRANSFORMS_PROGRAM_ROWDIVISORS_H

#include "mlir/IR/Value.h"
#include <optional>

namespace kiln::program {

/// What has to divide the sizes and strides of one parameter for its rows to
/// begin and end at multiples of some bytes behind its first element.
struct RowDivisors {
  unsigned parameter;
  llvm::SmallVector<int64_t> sizes, strides; ///< 1: anything does
  /// Whether the type leaves any of that open.
  bool isOpen = false;
  /// Only the view's end is at stake: worth a fact, but no variant.
  bool isSingle = false;
};

/// Those of a parameter of a kernel; none where it is no view, its rows never
/// can, or the kernel moves no neighbours along them.
std::optional<RowDivisors> rowDivisorsOf(mlir::BlockArgument view,
                                         int64_t bytes);

} // namespace kiln::program

#endif // KILN_LIB_TRANSFORMS_PROGRAM_ROWDIVISORS_H

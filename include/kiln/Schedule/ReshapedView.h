//===- ReshapedView.h - Reshapes that need no copy --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_SCHEDULE_RESHAPEDVIEW_H
#define KILN_SCHEDULE_RESHAPEDVIEW_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace kiln::schedule {

/// Returns the strides, in elements, with which a tensor of the shape `to` is a
/// view of memory that has these sizes and strides: each dimension of the shape
/// lies within dimensions that follow each other in memory as one would.
/// Returns nothing where elements have to be copied. Both shapes have the same
/// number of elements, at least one.
std::optional<llvm::SmallVector<int64_t>>
stridesOfReshape(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
                 llvm::ArrayRef<int64_t> to);

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_RESHAPEDVIEW_H

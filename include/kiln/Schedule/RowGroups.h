//===- RowGroups.h - Groups with several results of rows --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_SCHEDULE_ROWGROUPS_H
#define KILN_SCHEDULE_ROWGROUPS_H

#include "llvm/ADT/StringRef.h"

namespace kiln::schedule {

/// The kind of groups with several results that go through the rows of one
/// tensor: values of all elements, of its shape; values of each row, from
/// reductions of the trailing dimensions; sums over the leading dimensions.
inline constexpr llvm::StringLiteral kRows = "rows";

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_ROWGROUPS_H

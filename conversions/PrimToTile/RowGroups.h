//===- RowGroups.h - Groups that go through the same rows -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_ROWGROUPS_H
#define KILN_CONVERSIONS_PRIMTOTILE_ROWGROUPS_H

#include "Wrap.h"

namespace kiln {

/// As many elements, or fewer, take less time to compute than a launch.
constexpr int64_t kElementsOfLaunch = 1 << 12;

/// Makes one group with several results of groups of a block that read the same
/// rows: values of all elements, values for each row that these are computed
/// from, and sums over the rows. With `mergesFew` it joins groups of few
/// elements whatever they read.
void mergeRowGroups(mlir::Block &block, bool mergesFew);

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_ROWGROUPS_H

//===- Scatters.h - Scatters whose group computes operands ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_SCHEDULE_SCATTERS_H
#define KILN_SCHEDULE_SCATTERS_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Prim/Prim.h"

namespace kiln::schedule {

/// Returns whether the kernel of a scatter may compute its indices and updates
/// itself: on a machine whose threads share tiles, stores combine single
/// elements, each of which has its own index. The schedule of scatters declines
/// other groups of more than the scatter.
bool computesOperands(prim::ScatterOp op, target::TargetAttr description);

/// Returns whether updates of a scatter of known sizes, at least `each` for
/// each of at most `most` elements, meet at few elements: instances combine
/// their own ahead.
bool updatesFew(prim::ScatterOp op, int64_t most, int64_t each);

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_SCATTERS_H

//===- SpreadSums.h - A sum and its squared distances -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statistics of norms: sum(x), and sum((x - b)^2) with a value b that is
// computed from the first one, as a mean is. Elements are read once, apart from
// those of one block: with a value a near the mean, s1 = sum(x - a) and
// s2 = sum((x - a)^2) give both, sum(x) = s1 + n * a and
// sum((x - b)^2) = s2 - d * (2 * s1 - n * d) for d = b - a and any b.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_SPREADSUMS_H
#define KILN_LIB_SCHEDULE_SPREADSUMS_H

#include "kiln/Schedule/TileBuilder.h"

namespace kiln::schedule {

/// Emits such pairs of sums of f32 for the blocks of the kernel, and binds
/// their tiles to their values: those whose elements are in several blocks, so
/// many that the result keeps the bound of a sum. Fails with the emitter's
/// reason.
mlir::LogicalResult emitSpreadSums(TileBuilder &emitter);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SPREADSUMS_H

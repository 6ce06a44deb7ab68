//===- Limits.h - What a description says of any kernel ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_LIMITS_H
#define KILN_TARGET_LIMITS_H

#include "kiln/Dialect/Kiln/Description.h"

namespace kiln::target {

/// Why a kernel is beyond the limits of a description (`max_rank`,
/// `max_tile_elements`); empty if it is not. Checked before the target sees the
/// kernel, after its block sizes were chosen. Whether tiles fit into a memory
/// is for the target to say, which need not hold all of them at once.
std::string checkLimits(mlir::Operation *kernel, TargetAttr description);

/// Returns the number of cores of all clusters of a machine, 1 if its
/// description has no topology.
int64_t countCores(TargetAttr description);

/// Returns how many neighbours of an element type one atomic addition to global
/// memory takes at most, 1 if each is added alone. Floats of 16 bits are added
/// in words of two at least; `added_bytes` in `extra` says more.
int64_t countAddedNeighbours(TargetAttr description, mlir::Type element);

/// Returns how many bytes the memory of a device transfers together: the
/// longest line of the device's memories, 64 if a description states none.
int64_t transferBytes(TargetAttr description);

} // namespace kiln::target

#endif // KILN_TARGET_LIMITS_H

//===- Limits.h - What a description says a kernel may not have -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_LIMITS_H
#define KILN_TARGET_LIMITS_H

#include "kiln/Target/Description.h"

namespace kiln::target {

/// Why a kernel is beyond the limits of a description (`max_rank`,
/// `max_tile_elements`) or holds a tile that no memory of kind `explicit` that
/// a cluster or less shares has room for; empty if it is not. Checked before
/// the target sees the kernel, after its block sizes were chosen.
std::string checkLimits(mlir::Operation *kernel, TargetAttr description);

} // namespace kiln::target

#endif // KILN_TARGET_LIMITS_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How launches run tile kernels. Private to this folder.
#ifndef KILN_DIALECTS_TILE_EVAL_LAUNCH_H
#define KILN_DIALECTS_TILE_EVAL_LAUNCH_H

#include "kiln/Eval/Kernel.h"

namespace kiln::eval {

/// Launches of `tile.kernel`.
struct TileLaunch : LaunchInterface {
  explicit TileLaunch(mlir::Dialect *dialect);
};

} // namespace kiln::eval

#endif // KILN_DIALECTS_TILE_EVAL_LAUNCH_H

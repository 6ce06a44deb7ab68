// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instance knows of the others. Private to this folder.
#ifndef KILN_DIALECTS_TILE_EVAL_GRIDSTATE_H
#define KILN_DIALECTS_TILE_EVAL_GRIDSTATE_H

#include "kiln/Eval/Evaluator.h"

namespace kiln::eval {

struct GridState : InstanceState {
  int32_t count = 1; ///< instances of the launch
  /// Waits for the other instances of the cluster; null without one.
  std::function<mlir::LogicalResult(mlir::Operation *)> meet;
};

} // namespace kiln::eval

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watching evaluation: a limit of time, and what host programs launch.
#ifndef KILN_EVAL_WATCH_H
#define KILN_EVAL_WATCH_H

#include "kiln/Eval/Value.h"
#include <array>
#include <chrono>
#include <functional>
#include <optional>

namespace mlir {
class Operation;
}

namespace kiln::eval {

/// What watches the evaluation that runs.
struct Watch {
  /// From then on every operation fails with "unsupported: ...".
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Whether that has happened.
  bool isOver = false;
  /// Called before a host program launches a kernel, on its arguments.
  std::function<void(mlir::Operation *kernel, std::array<int64_t, 3> grid,
                     llvm::ArrayRef<Value> args)>
      onLaunch;

  /// Whether the deadline has passed; looks at the clock now and then.
  bool checkDeadline();

private:
  unsigned steps = 0;
};

/// Of the process: one evaluation at a time uses it.
Watch &watch();

} // namespace kiln::eval

#endif // KILN_EVAL_WATCH_H

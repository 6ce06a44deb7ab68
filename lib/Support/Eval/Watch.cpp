// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watching evaluation.
#include "kiln/Eval/Watch.h"

namespace kiln::eval {

Watch &watch() {
  static Watch current;
  return current;
}

bool Watch::checkDeadline() {
  // A step may take long: the clock is cheap beside most of them.
  if (!deadline || isOver || ++steps % 16)
    return isOver;
  return isOver = std::chrono::steady_clock::now() > *deadline;
}

} // namespace kiln::eval

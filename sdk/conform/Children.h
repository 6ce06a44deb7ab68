// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Child processes that work side by side.
#ifndef KILN_SDK_CONFORM_CHILDREN_H
#define KILN_SDK_CONFORM_CHILDREN_H

#include <functional>
#include <string>

namespace kiln::conform {

/// One piece of work for a child.
struct Work {
  size_t number = 0;
  /// In the child: writes what it has to say to the descriptor; its result is
  /// the exit status.
  std::function<int(int out)> body;
};

/// How a child ended.
struct Ended {
  size_t number = 0;
  std::string said;   ///< everything that it has written
  std::string reason; ///< empty: status 0; else "Segmentation fault", ...
};

/// Keeps `jobs` children busy. `next` gives work until it has none (false);
/// `done` hears of each end, and may make more work. A child that says nothing
/// for `silence` seconds is ended.
void runChildren(unsigned jobs, double silence,
                 const std::function<bool(Work &)> &next,
                 const std::function<void(const Ended &)> &done);

} // namespace kiln::conform

#endif

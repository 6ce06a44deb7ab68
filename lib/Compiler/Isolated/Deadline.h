//===- Deadline.h - When a wait for a program ends ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_ISOLATED_DEADLINE_H
#define KILN_ISOLATED_DEADLINE_H

#include "llvm/ADT/DenseMap.h"
#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>

namespace kiln::isolated {

/// When a wait for a program ends: by the clock, and later where others have
/// the processors. Not counted are its waits for one since the first look.
class Deadline {
public:
  Deadline(pid_t group, double seconds)
      : group(group), seconds(seconds), begin(Clock::now()) {}

  double passed() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  void extend(double more) { seconds += more; }
  /// Has to be asked several times before the wait ends.
  bool isOver();

private:
  using Clock = std::chrono::steady_clock;
  /// What a thread has had of processors, and waited for one, in seconds.
  struct Turns {
    double ran = 0, waited = 0;
  };
  using ThreadTurns = llvm::DenseMap<pid_t, Turns>;

  static std::optional<Turns> turnsOf(const std::string &thread);
  static ThreadTurns turnsOfGroup(pid_t group, bool *oneIsReady);
  bool isStarved(double now) const;

  pid_t group;
  double seconds;
  Clock::time_point begin;
  std::optional<ThreadTurns> before; ///< by thread
};

} // namespace kiln::isolated

#endif // KILN_ISOLATED_DEADLINE_H

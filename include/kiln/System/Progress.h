// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A progress bar for what takes more than two seconds.
#ifndef KILN_SYSTEM_PROGRESS_H
#define KILN_SYSTEM_PROGRESS_H

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace kiln::runtime {

/// Where progress goes.
enum class ProgressStyle {
  Bar,   ///< a bar on the standard error, if that is a terminal
  Lines, ///< `progress: 3 of 12 kernels`, a line for each step: for programs
  Quiet, ///< nowhere
};

/// Counts the steps of one long task. With a bar, the terminal shows the share
/// that is done, the counts and an estimate of the time left, from two seconds
/// after the start until the end. Safe in threads.
class Progress {
public:
  /// `what` names the steps in the plural: "kernels". `total` is an estimate
  /// that may grow.
  Progress(std::string what, size_t total,
           ProgressStyle style = ProgressStyle::Bar);
  /// Takes the bar off the terminal.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Counts steps that are done.
  void step(size_t count = 1);
  /// Takes the bar off the terminal until the next step, so that other text can
  /// be printed.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::time_point now);
  void erase();

  std::string what;
  size_t total, done = 0;
  ProgressStyle style;
  bool isShown = false;
  Clock::time_point begin = Clock::now(), drawn;
  std::mutex mutex;
};

/// "4 s", "2 min 5 s", "1 h 3 min".
std::string durationText(double seconds);

} // namespace kiln::runtime

#endif // KILN_SYSTEM_PROGRESS_H

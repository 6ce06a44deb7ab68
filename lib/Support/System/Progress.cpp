// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A progress bar for what takes more than two seconds.
#include "kiln/System/Progress.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace kiln::runtime;

/// A bar changes at most so often.
static constexpr double kBetween = 0.1;

/// Seconds that a task takes before it shows a bar.
static double firstSeconds() {
  constexpr double kUsual = 2.0;
  const char *text = std::getenv("KILN_PROGRESS_SECONDS");
  char *end = nullptr;
  double seconds = text ? std::strtod(text, &end) : kUsual;
  return text && (end == text || *end) ? kUsual : seconds;
}

/// Whether a bar can be drawn: lines can be overwritten.
static bool isTerminal() {
  const char *kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) && kind && std::strcmp(kind, "dumb") != 0;
}

std::string kiln::runtime::durationText(double seconds) {
  long whole = long(std::max(seconds, 0.0) + 0.5);
  if (whole < 60)
    return std::to_string(whole) + " s";
  if (whole < 3600)
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) +
           " s";
  return std::to_string(whole / 3600) + " h " +
         std::to_string(whole / 60 % 60) + " min";
}

Progress::Progress(std::string what, size_t total, ProgressStyle style)
    : what(std::move(what)), total(total), style(style) {
  if (style == ProgressStyle::Bar && !isTerminal())
    this->style = ProgressStyle::Quiet;
}

Progress::~Progress() { clear(); }

void Progress::step(size_t count) {
  if (style == ProgressStyle::Quiet)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  done += count;
  total = std::max(total, done);
  if (style == ProgressStyle::Lines) {
    std::fprintf(stderr, "progress: %zu of %zu %s\n", done, total,
                 what.c_str());
    return;
  }
  Clock::time_point now = Clock::now();
  auto since = [&](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  if (since(begin) >= firstSeconds() && (!isShown || since(drawn) >= kBetween))
    draw(now);
}

void Progress::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  erase();
}

void Progress::erase() {
  if (!isShown)
    return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  isShown = false;
}

void Progress::draw(Clock::time_point now) {
  double seconds = std::chrono::duration<double>(now - begin).count();
  double left = done ? seconds * double(total - done) / double(done) : 0;
  std::string text = " " + std::to_string(done) + "/" + std::to_string(total) +
                     " " + what + ", " + durationText(left) + " left";
  winsize size = {};
  size_t columns = 80;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
    columns = size.ws_col;
  // The last column stays empty: some terminals wrap behind it.
  constexpr size_t kWidest = 40, kNarrowest = 4;
  size_t room = columns > text.size() + 3 ? columns - text.size() - 3 : 0;
  size_t width = std::min(room, kWidest);
  std::string bar;
  if (width >= kNarrowest) {
    size_t filled = total ? width * done / total : 0;
    bar =
        "[" + std::string(filled, '=') + std::string(width - filled, ' ') + "]";
  }
  text = (bar + text).substr(0, columns - 1);
  std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
  std::fflush(stderr);
  isShown = true;
  drawn = now;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call is doing, for those who wait for it.
#include "Watch.h"
#include "Load.h"
#include "kiln/Runtime/Progress.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

Activity ownActivity = {};
Activity *shownActivity = &ownActivity;

int64_t nanoseconds() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time); // the same in all processes
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

/// Ends the child and says what it was doing.
int endChild(pid_t child, double seconds) {
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
  const Activity &state = *shownActivity;
  char limit[32];
  std::snprintf(limit, sizeof(limit), "%g s", seconds);
  std::string name(state.kernel, strnlen(state.kernel, sizeof(state.kernel)));
  printError(std::string(state.onReference ? "reference: " : "") +
             (name.empty() ? "the call" : "kernel '" + name + "'") +
             " was ended: the call took longer than " + limit +
             " (--time-limit)");
  return 1;
}

/// The exit status that tells what became of the child.
int relayed(int status) {
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  int number = WTERMSIG(status);
  // What the user sent to stop us stops this process alike.
  if (number == SIGINT || number == SIGTERM || number == SIGHUP ||
      number == SIGPIPE) {
    signal(number, SIG_DFL);
    raise(number);
  }
  printError(std::string("the process that runs the call was ended: ") +
             strsignal(number));
  return 1;
}

} // namespace

Activity &kiln::run::activity() { return *shownActivity; }

void kiln::run::noteKernel(const KernelInfo &kernel) {
  // No other thread runs kernels now.
  Activity &state = *shownActivity;
  size_t length = kernel.name.copy(state.kernel, sizeof(state.kernel) - 1);
  state.kernel[length] = 0;
  ++state.launches;
}

CallWatch::CallWatch(bool onReference) {
  Activity &state = *shownActivity;
  state.kernel[0] = 0;
  state.launches = 0;
  state.onReference = onReference;
  state.began = nanoseconds();
}

CallWatch::~CallWatch() { shownActivity->began = 0; }

int kiln::run::superviseCalls(double seconds,
                              const std::function<int()> &body) {
  void *memory = mmap(nullptr, sizeof(Activity), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    printError(std::string("--time-limit: ") + std::strerror(errno));
    return 1;
  }
  shownActivity = new (memory) Activity{};
  std::fflush(nullptr);
  // Nothing has been loaded yet, so no other thread can hold a lock.
  pid_t child = fork();
  if (child < 0) {
    printError(std::string("--time-limit: ") + std::strerror(errno));
    return 1;
  }
  if (child == 0) {
    // Whoever ends the parent means the child, too.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return body();
  }
  // Wakes when the child ends, and often enough to see a limit pass.
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, nullptr);
  while (true) {
    int status = 0;
    pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child)
      return relayed(status);
    int64_t began = shownActivity->began;
    if (began && double(nanoseconds() - began) * 1e-9 > seconds)
      return endChild(child, seconds);
    timespec pause = {0, 10000000};
    sigtimedwait(&ended, nullptr, &pause);
  }
}

ProgressReport::ProgressReport(bool isWanted, uint64_t launches)
    : numLaunches(launches), isTerminal(isatty(STDERR_FILENO)) {
  if (isWanted || isTerminal)
    thread = std::thread([this] { run(); });
}

ProgressReport::~ProgressReport() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isDone = true;
  }
  changed.notify_all();
  thread.join();
}

void ProgressReport::run() {
  std::unique_lock<std::mutex> lock(mutex);
  using std::chrono::milliseconds;
  // A file was asked for with -v: nobody is bothered early.
  milliseconds pause(isTerminal ? 2000 : 100);
  bool hasPrinted = false;
  while (!changed.wait_for(lock, pause, [this] { return isDone; })) {
    // A terminal keeps one line up to date, a file gets a few.
    std::fprintf(stderr, isTerminal ? "\r\033[K%s" : "%s\n", text().c_str());
    std::fflush(stderr);
    hasPrinted = true;
    pause = isTerminal ? milliseconds(1000)
                       : std::min(2 * pause, milliseconds(60000));
  }
  if (hasPrinted && isTerminal)
    std::fprintf(stderr, "\r\033[K");
}

std::string ProgressReport::text() const {
  uint64_t launch = activity().launches;
  std::string line = "reference: launch " + std::to_string(launch);
  if (numLaunches)
    line += " of " + std::to_string(numLaunches);
  LaunchProgress inside = launchProgress();
  double done = inside.total ? double(inside.done) / double(inside.total) : 0;
  if (numLaunches > 1)
    done = (double(launch ? launch - 1 : 0) + done) / double(numLaunches);
  if (inside.total || numLaunches > 1)
    line += ", " + std::to_string(int(100 * std::min(done, 1.0))) + "%";
  return line;
}

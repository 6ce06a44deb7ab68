// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call is doing, for those who wait for it.
#include "Watch.h"
#include "Load.h"
#include "kiln/Runtime/DriverCall.h"
#include "kiln/Runtime/Progress.h"
#include "kiln/System/Process.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
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

std::string quotedKernel() {
  const Activity &state = *shownActivity;
  std::string name(state.kernel, strnlen(state.kernel, sizeof(state.kernel)));
  return name.empty() ? "" : "kernel '" + name + "'";
}

std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

/// Whether a kernel may be what the driver works on.
bool isInKernel(const std::string &call) {
  return call.empty() || call.find(" while executing") != call.npos ||
         call.find(" while waiting") != call.npos;
}

/// What the child does: a kernel, else a function of a driver, else the call.
std::string currentWork() {
  std::string call = currentDriverCall(), kernel = quotedKernel();
  std::string prefix = shownActivity->onReference ? "reference: " : "";
  if (shownActivity->began && isInKernel(call) && !kernel.empty())
    return prefix + kernel;
  return prefix + (call.empty() ? "the call" : call);
}

/// The function of a driver that runs, with the kernel; empty for none.
std::string currentCall() {
  std::string call = currentDriverCall(), kernel = quotedKernel();
  bool isKernel = !call.empty() && isInKernel(call) && !kernel.empty();
  return isKernel ? call + " (" + kernel + ")" : call;
}

/// Ends the child with a message.
int endChild(pid_t child, const std::string &message) {
  kill(child, SIGKILL);
  (void)awaitEnd(child);
  printError(message);
  return 1;
}

/// Of code that ends the process, which no message has named yet.
std::string endedBy(const Ending &ending) {
  std::string call = currentCall(), drivers = loadedDrivers();
  if (!call.empty())
    return call + " ends the process: expected it to return";
  return "the process ended with " + ending.describe() +
         " before the run was done" +
         (drivers.empty() ? "" : "; it had loaded " + drivers);
}

/// The exit status that tells what became of the child.
int relayed(const Ending &ending) {
  const Activity &state = *shownActivity;
  int number = ending.signal;
  // What the user sent to stop us stops this process alike.
  if (number == SIGINT || number == SIGTERM || number == SIGHUP ||
      number == SIGPIPE) {
    signal(number, SIG_DFL);
    raise(number);
  }
  if (state.isLost || hasReportedExit())
    return 1;
  if (state.isDone && state.isGone && !number && ending.status == state.status)
    return state.status;
  std::string message;
  if (state.isDone)
    // What runs behind the end of the program are destructors.
    message = "a driver's destructor " +
              (number ? "crashes: " + ending.describe()
                      : "ends the process with " + ending.describe()) +
              "; loaded are " + loadedDrivers();
  else if (number)
    message = "the process that runs the call was ended: " + ending.describe() +
              (currentCall().empty() ? "" : ", in " + currentCall());
  else
    message = endedBy(ending);
  printError(message);
  return state.isDone && state.status ? int(state.status) : 1;
}

/// Waits for the child, and sees to it that something goes on in there.
class Supervisor {
public:
  Supervisor(pid_t child, const Limits &limits)
      : child(child), limits(limits) {}

  int run() {
    // Wakes when the child ends, and often enough to see a limit pass.
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, nullptr);
    while (true) {
      int status = 0;
      if (waitpid(child, &status, WNOHANG) == child)
        return relayed(Ending::of(status));
      timespec pause = {0, limits.call > 0 ? 10000000 : 50000000};
      int64_t before = nanoseconds();
      sigtimedwait(&ended, nullptr, &pause);
      // Time in which this process was stopped does not count.
      idle += std::min(double(nanoseconds() - before) * 1e-9, 1.0);
      std::string message = passedLimit();
      if (!message.empty())
        return endChild(child, message);
    }
  }

private:
  /// What is to be said of the limit that has passed, or nothing.
  std::string passedLimit() {
    const Activity &state = *shownActivity;
    int64_t began = state.began;
    if (limits.call > 0 && began &&
        double(nanoseconds() - began) * 1e-9 > limits.call)
      return currentWork() + " was ended: the call took longer than " +
             numberText(limits.call) + " s (--time-limit)";
    uint64_t now = state.launches + driverProgress() + uint64_t(began);
    bool isRunning = began || *currentDriverCall() || state.isDone;
    if (now != progress || !isRunning)
      idle = 0;
    progress = now;
    if (limits.progress <= 0 || idle <= limits.progress)
      return "";
    std::string call = currentDriverCall();
    std::string what = state.isDone ? "a driver's destructor" : currentWork();
    std::string where = state.isDone
                            ? "; loaded are " + std::string(loadedDrivers())
                        : call.empty() || call == what ? ""
                                                       : ", in " + call;
    return what + " hangs: no end within " + numberText(limits.progress) +
           " s (--timeout)" + where;
  }

  pid_t child;
  Limits limits;
  uint64_t progress = 0;
  double idle = 0; ///< seconds without progress
};

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

int kiln::run::supervise(const Limits &limits,
                         const std::function<int()> &body) {
  const char *direct = std::getenv("KILN_NO_CHILD");
  if (direct && *direct == '1' && limits.call <= 0)
    return body();
  auto fail = [](const char *what) {
    printError(std::string(what) + ": " + std::strerror(errno));
    return 1;
  };
  void *memory = mmap(nullptr, sizeof(Activity), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return fail("cannot get memory");
  shownActivity = new (memory) Activity{};
  shareDriverCalls();
  std::fflush(nullptr);
  // The parent process may have set it to be ignored: no signal arrives then.
  signal(SIGCHLD, SIG_DFL);
  // Nothing has been loaded yet, so no other thread can hold a lock.
  pid_t child = fork();
  if (child < 0)
    return fail("cannot start a process");
  if (child == 0) {
    // Whoever ends the parent means the child, too.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // What is registered first runs behind the destructors of drivers.
    std::atexit([] { shownActivity->isGone = true; });
    int status = body();
    shownActivity->status = status;
    shownActivity->isDone = true;
    return status;
  }
  return Supervisor(child, limits).run();
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

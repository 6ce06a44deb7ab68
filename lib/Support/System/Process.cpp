// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "kiln/System/Process.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln::runtime;
namespace fs = std::filesystem;

static std::atomic<bool> isOwnProcess{false};

void kiln::runtime::declareOwnProcess() { isOwnProcess = true; }

bool kiln::runtime::isForkSafe() {
  if (isOwnProcess)
    return true;
  std::error_code error;
  unsigned threads = 0;
  fs::directory_iterator it("/proc/self/task", error);
  for (; !error && it != fs::directory_iterator(); it.increment(error))
    ++threads;
  return !error && threads == 1;
}

std::string kiln::runtime::helperProgram(const void *anchor, const char *name,
                                         const char *variable) {
  const char *given = std::getenv(variable);
  return given && *given ? given : besideLibrary(anchor, name);
}

std::string kiln::runtime::besideLibrary(const void *anchor, const char *name) {
  Dl_info info;
  if (!dladdr(anchor, &info) || !info.dli_fname)
    return name;
  std::error_code ignored;
  fs::path folder = fs::absolute(info.dli_fname, ignored).parent_path();
  return (folder / "kiln" / name).string();
}

/// Appends the strings to what exec takes, with its end.
static void addWords(std::vector<char *> &words,
                     const std::vector<std::string> &texts) {
  for (const std::string &text : texts)
    words.push_back(const_cast<char *>(text.c_str()));
  words.push_back(nullptr);
}

/// Starts a program whose descriptors 0, 1, ... are `fds`; those that are -1
/// stay as they are here. With an `environment` it gets that one, and a process
/// group of its own.
static Expected<pid_t>
spawn(const std::string &path, const std::vector<std::string> &args,
      const std::vector<int> &fds,
      const std::vector<std::string> *environment = nullptr) {
  std::vector<char *> words = {const_cast<char *>(path.c_str())}, variables;
  addWords(words, args);
  if (environment)
    addWords(variables, *environment);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  if (environment)
    flags |= POSIX_SPAWN_SETPGROUP;
  posix_spawnattr_setflags(&attributes, flags);
  // Out of the way first: one of them may have the number of another's place.
  std::vector<int> moved;
  int code = 0;
  for (size_t i = 0; i < fds.size() && !code; ++i) {
    if (fds[i] < 0)
      continue;
    int copy = fcntl(fds[i], F_DUPFD_CLOEXEC, int(fds.size()));
    if (copy < 0) {
      code = errno;
    } else {
      moved.push_back(copy);
      code = posix_spawn_file_actions_adddup2(&actions, copy, int(i));
    }
  }
  pid_t child = -1;
  if (!code)
    code = posix_spawn(&child, path.c_str(), &actions, &attributes,
                       words.data(), environment ? variables.data() : environ);
  for (int fd : moved)
    close(fd);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (code)
    return Error(path + ": cannot be started: " + std::strerror(code));
  return child;
}

Expected<pid_t>
kiln::runtime::startProgram(const std::string &path,
                            const std::vector<std::string> &args,
                            const std::vector<int> &fds) {
  std::vector<int> all = {-1, -1, -1};
  all.insert(all.end(), fds.begin(), fds.end());
  return spawn(path, args, all);
}

Expected<pid_t>
kiln::runtime::startServer(const std::string &path, int input, int output,
                           int errors, int control,
                           const std::vector<std::string> &environment) {
  return spawn(path, {}, {input, output, errors, control}, &environment);
}

/// Process groups to kill, and the process that they belong to.
static std::atomic<pid_t> guarded[256];
static std::atomic<pid_t> guardian{0};

/// The guard's end of a socket: one line a group. It outlives this process by
/// whatever signal it ends, sees the end of its input then, and kills the
/// groups that were not taken back.
static constexpr char kGuardScript[] = R"sh(
trap '' HUP INT QUIT TERM
{
  all=
  while read -r word group; do
    case $word in
    +) all="$all -$group" ;;
    *)
      left=
      for one in $all; do
        [ "$one" = "-$group" ] || left="$left $one"
      done
      all=$left
      ;;
    esac
  done
  [ -z "$all" ] || kill -s KILL -- $all
} <&3 3<&- &
)sh";
static std::atomic<int> guardSocket{-1};

/// Starts a guard; returns the end of its socket that is written to, or -1
/// where there is no shell. The guard is no child of this process, whose waits
/// for any child it does not disturb.
static int startGuard() {
  int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0)
    return -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    close(null);
    return -1;
  }
  std::vector<std::string> environment;
  Expected<pid_t> shell = spawn("/bin/sh", {"-c", kGuardScript},
                                {null, null, null, ends[1]}, &environment);
  close(null);
  close(ends[1]);
  if (!shell || awaitEnd(*shell).status != 0) {
    close(ends[0]);
    return -1;
  }
  return ends[0];
}

/// Tells the guard of a group; errors leave it unguarded.
static void tellGuard(char word, pid_t group) {
  std::string line = word + (" " + std::to_string(group)) + "\n";
  if (int fd = guardSocket; fd >= 0)
    (void)send(fd, line.data(), line.size(), MSG_NOSIGNAL);
}

void kiln::runtime::guardGroup(pid_t group) {
  // What a child made by fork has copied is its parent's.
  pid_t self = getpid();
  if (guardian.exchange(self) != self) {
    for (std::atomic<pid_t> &place : guarded)
      place = 0;
    if (int fd = guardSocket.exchange(-1); fd >= 0)
      close(fd);
  }
  if (guardSocket < 0) {
    int started = startGuard(), none = -1;
    if (started >= 0 && !guardSocket.compare_exchange_strong(none, started))
      close(started); // another thread was faster
  }
  tellGuard('+', group);
  for (std::atomic<pid_t> &place : guarded)
    if (pid_t none = 0; place.compare_exchange_strong(none, group))
      return;
}

void kiln::runtime::forgetGroup(pid_t group) {
  if (guardian == getpid())
    tellGuard('-', group);
  for (std::atomic<pid_t> &place : guarded)
    if (pid_t known = group; place.compare_exchange_strong(known, 0))
      return;
}

void kiln::runtime::killGroups() {
  if (guardian != getpid())
    return;
  for (std::atomic<pid_t> &place : guarded)
    if (pid_t group = place)
      kill(-group, SIGKILL);
}

Expected<ProgramRun> kiln::runtime::runProgram(
    const std::string &path, const std::vector<std::string> &args,
    const std::vector<int> &fds, double seconds, int output) {
  int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || pipe2(ends, O_CLOEXEC) != 0) {
    Error error(path + ": cannot be started: " + std::strerror(errno));
    if (null >= 0)
      close(null);
    return error;
  }
  std::vector<int> all = {null, output >= 0 ? output : ends[1], ends[1]};
  all.insert(all.end(), fds.begin(), fds.end());
  Expected<pid_t> child = spawn(path, args, all);
  close(ends[1]);
  close(null);
  ProgramRun run;
  if (child) {
    constexpr size_t kMostPrinted = 16 << 20;
    run.isInTime =
        readUntilEnd(ends[0], seconds, [&](const char *bytes, size_t size) {
          run.printed.append(bytes, size);
          if (run.printed.size() > 2 * kMostPrinted)
            run.printed.erase(0, run.printed.size() - kMostPrinted);
          return true;
        });
    if (!run.isInTime)
      kill(*child, SIGKILL);
    run.ending = awaitEnd(*child);
  }
  close(ends[0]);
  if (!child)
    return child.takeError();
  return run;
}

std::string ProgramRun::failure(const std::string &name) const {
  std::string text = name + " failed: ";
  text += isInTime ? ending.describe() : "no end in time";
  std::string reason = printed;
  while (!reason.empty() && (reason.back() == '\n' || reason.back() == ' '))
    reason.pop_back();
  return reason.empty() ? text : text + ": " + reason;
}

void kiln::runtime::beginHelper(int numFds) {
  declareOwnProcess();
  (void)close_range(unsigned(3 + numFds), ~0u, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

std::string Ending::describe() const {
  if (!isKnown)
    return "an unknown end";
  if (signal)
    return strsignal(signal);
  return "status " + std::to_string(status);
}

Ending Ending::of(int status) {
  Ending ending;
  ending.isKnown = true;
  if (WIFSIGNALED(status))
    ending.signal = WTERMSIG(status);
  else
    ending.status = WEXITSTATUS(status);
  return ending;
}

Ending kiln::runtime::awaitEnd(pid_t pid) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
    ;
  return ended == pid ? Ending::of(status) : Ending();
}

unsigned kiln::runtime::trialSeconds() {
  const char *given = std::getenv("KILN_TRIAL_SECONDS");
  long seconds = given ? std::strtol(given, nullptr, 10) : 0;
  return seconds > 0 && seconds < 100000 ? unsigned(seconds) : 30;
}

bool kiln::runtime::readUntilEnd(
    int fd, double seconds,
    const std::function<bool(const char *, size_t)> &take) {
  using Clock = std::chrono::steady_clock;
  // Years are as good as no limit, and do not overflow.
  bool isLimited = seconds > 0 && seconds < 1e8;
  Clock::time_point deadline =
      Clock::now() +
      std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(isLimited ? seconds : 0));
  char buffer[4096];
  while (true) {
    if (isLimited) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                      deadline - Clock::now())
                      .count();
      if (left < 0)
        return false;
      pollfd wanted = {fd, POLLIN, 0};
      int ready = poll(&wanted, 1, int(std::min<int64_t>(left + 1, 1 << 30)));
      if (ready <= 0)
        continue;
    }
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got > 0 ? !take(buffer, size_t(got)) : got == 0 || errno != EINTR)
      return true;
  }
}

bool kiln::runtime::writeFully(int fd, const void *data, size_t size) {
  auto *next = static_cast<const char *>(data);
  while (size) {
    ssize_t put = write(fd, next, size);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    next += put;
    size -= size_t(put);
  }
  return true;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "kiln/Runtime/Process.h"
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
  if (given && *given)
    return given;
  Dl_info info;
  if (!dladdr(anchor, &info) || !info.dli_fname)
    return name;
  std::error_code ignored;
  fs::path folder = fs::absolute(info.dli_fname, ignored).parent_path();
  return (folder / "kiln" / name).string();
}

Expected<pid_t>
kiln::runtime::startProgram(const std::string &path,
                            const std::vector<std::string> &args,
                            const std::vector<int> &fds) {
  std::vector<char *> words = {const_cast<char *>(path.c_str())};
  for (const std::string &arg : args)
    words.push_back(const_cast<char *>(arg.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  // Out of the way first: one of them may have the number of another's place.
  std::vector<int> moved;
  int code = 0;
  for (int fd : fds) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3 + int(fds.size()));
    if (copy < 0)
      code = errno;
    else
      moved.push_back(copy);
  }
  for (size_t i = 0; i < moved.size() && !code; ++i)
    code = posix_spawn_file_actions_adddup2(&actions, moved[i], int(3 + i));
  pid_t child = -1;
  if (!code)
    code = posix_spawn(&child, path.c_str(), &actions, &attributes,
                       words.data(), environ);
  for (int fd : moved)
    close(fd);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (code)
    return Error(path + ": cannot be started: " + std::strerror(code));
  return child;
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

Ending kiln::runtime::awaitEnd(pid_t pid) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
    ;
  Ending ending;
  if (ended != pid)
    return ending;
  ending.isKnown = true;
  if (WIFSIGNALED(status))
    ending.signal = WTERMSIG(status);
  else
    ending.status = WEXITSTATUS(status);
  return ending;
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

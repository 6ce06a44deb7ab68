// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Child processes that work side by side.
#include "Children.h"
#include "Execute.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace kiln::conform;

namespace {

struct Child {
  Ended ended;
  pid_t pid = -1;
  int pipe = -1;
  double heard = 0;
  bool isSilent = false;
  /// In memory that the child writes to, too: its work has come to its end, and
  /// no code of a target or a driver has ended it.
  volatile bool *isDone = nullptr;
};

bool start(const Work &work, Child &child) {
  void *shared = mmap(nullptr, sizeof(bool), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return false;
  child.isDone = new (shared) bool(false);
  int ends[2];
  if (pipe(ends)) {
    munmap(shared, sizeof(bool));
    return false;
  }
  std::fflush(stdout);
  std::fflush(stderr);
  pid_t pid = fork();
  if (pid < 0) {
    close(ends[0]);
    close(ends[1]);
    munmap(shared, sizeof(bool));
    return false;
  }
  if (pid == 0) {
    close(ends[0]);
    setpgid(0, 0);
    rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int status = work.body(ends[1]);
    std::fflush(stdout);
    std::fflush(stderr);
    *child.isDone = true;
    _exit(status);
  }
  close(ends[1]);
  child.pid = pid;
  child.pipe = ends[0];
  child.ended.number = work.number;
  child.heard = now();
  return true;
}

/// Reads what is there; false at the end.
bool read(Child &child) {
  char bytes[65536];
  ssize_t got = ::read(child.pipe, bytes, sizeof bytes);
  if (got < 0)
    return errno == EINTR || errno == EAGAIN;
  child.ended.said.append(bytes, size_t(got));
  child.heard = now();
  return got > 0;
}

void finish(Child &child, double silence) {
  close(child.pipe);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
    ;
  // What it started must not outlive it.
  kill(-child.pid, SIGKILL);
  if (child.isSilent)
    child.ended.reason = "no end within " + std::to_string(int(silence)) + " s";
  else if (WIFSIGNALED(status))
    child.ended.reason = strsignal(WTERMSIG(status));
  else if (WEXITSTATUS(status) || !*child.isDone)
    child.ended.reason = "exit status " + std::to_string(WEXITSTATUS(status));
  munmap(const_cast<bool *>(child.isDone), sizeof(bool));
}

} // namespace

void kiln::conform::runChildren(
    unsigned jobs, double silence, const std::function<bool(Work &)> &next,
    const std::function<void(const Ended &)> &done) {
  std::vector<Child> children;
  for (;;) {
    Work work;
    while (children.size() < std::max(1u, jobs) && next(work)) {
      Child child;
      if (start(work, child)) {
        children.push_back(std::move(child));
        continue;
      }
      Ended ended;
      ended.number = work.number;
      ended.reason = std::string("no process: ") + std::strerror(errno);
      done(ended);
    }
    if (children.empty())
      return;
    std::vector<pollfd> polled;
    for (const Child &child : children)
      polled.push_back({child.pipe, POLLIN, 0});
    poll(polled.data(), polled.size(), 500);
    for (size_t i = children.size(); i-- > 0;) {
      Child &child = children[i];
      bool isOver =
          (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) && !read(child);
      if (!isOver && silence > 0 && now() - child.heard > silence) {
        child.isSilent = isOver = true;
        kill(-child.pid, SIGKILL);
        kill(child.pid, SIGKILL);
      }
      if (!isOver)
        continue;
      finish(child, silence);
      Ended ended = std::move(child.ended);
      children.erase(children.begin() + long(i));
      done(ended);
    }
  }
}

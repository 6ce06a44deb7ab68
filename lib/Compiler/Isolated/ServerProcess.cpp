//===- ServerProcess.cpp - The process of a target's program --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ServerProcess.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::isolated;

/// What is kept of the standard error.
static constexpr size_t kMostPrinted = 64 << 10;

ServerProcess::ServerProcess(pid_t pid, int errors, int control)
    : pid(pid), owner(getpid()), errors(errors), control(control) {
  runtime::guardGroup(pid);
}

ServerProcess::~ServerProcess() {
  (void)kill();
  for (int fd : {errors, control})
    if (fd >= 0)
      ::close(fd);
}

bool ServerProcess::isOurs() const { return owner == getpid(); }

bool ServerProcess::hasEnded() const {
  std::lock_guard<std::mutex> lock(mutex);
  if (isGone)
    return true;
  // It is left to be waited for.
  siginfo_t info = {};
  return waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

runtime::Ending ServerProcess::kill() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!isGone && isOurs()) {
    // The process has not been waited for, so the group is still its.
    ::kill(-pid, SIGKILL);
    runtime::forgetGroup(pid);
    ending = runtime::awaitEnd(pid);
  }
  isGone = true;
  return ending;
}

bool ServerProcess::openConversation(int input, int output) {
  if (control < 0 || hasEnded())
    return false;
  int ends[2] = {input, output};
  char word = '+';
  iovec bytes{&word, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof ends)] = {};
  msghdr message = {};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof ends);
  std::memcpy(CMSG_DATA(head), ends, sizeof ends);
  shared = true;
  return sendmsg(control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

bool kiln::isolated::readAvailable(
    int fd, const std::function<void(const char *, size_t)> &take) {
  char buffer[65536];
  // One that never stops must not keep us here.
  constexpr int kMostReads = 16;
  for (int reads = 0; reads < kMostReads; ++reads) {
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got > 0)
      take(buffer, size_t(got));
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
      return false;
    else if (errno == EAGAIN)
      return true;
    if (got > 0 && size_t(got) < sizeof buffer)
      return true;
  }
  return true;
}

int ServerProcess::errorsToPoll() const {
  std::lock_guard<std::mutex> lock(mutex);
  return isErrorsOpen ? errors : -1;
}

void ServerProcess::readErrors() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isErrorsOpen)
    isErrorsOpen = readAvailable(errors, [&](const char *bytes, size_t size) {
      printed.append(bytes, size);
      if (printed.size() > 2 * kMostPrinted)
        printed.erase(0, printed.size() - kMostPrinted);
    });
}

std::string ServerProcess::takePrinted() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(printed, "");
}

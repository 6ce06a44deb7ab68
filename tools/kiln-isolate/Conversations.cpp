//===- Conversations.cpp - Several conversations in one process -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversations.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace kiln;

static constexpr int kControl = 3;

bool isolate::canHoldConversations() {
  int domain = 0, type = 0;
  socklen_t size = sizeof domain;
  return !getsockopt(kControl, SOL_SOCKET, SO_DOMAIN, &domain, &size) &&
         !getsockopt(kControl, SOL_SOCKET, SO_TYPE, &type, &size) &&
         domain == AF_UNIX && type == SOCK_SEQPACKET;
}

/// Reads the ends of one conversation; false where no more will come.
static bool receive(int (&ends)[2]) {
  ends[0] = ends[1] = -1;
  char word;
  iovec bytes{&word, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof ends)];
  msghdr message = {};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t got = recvmsg(kControl, &message, MSG_CMSG_CLOEXEC);
  if (got < 0)
    return errno == EINTR;
  if (cmsghdr *head = CMSG_FIRSTHDR(&message);
      head && head->cmsg_type == SCM_RIGHTS &&
      head->cmsg_len == CMSG_LEN(sizeof ends))
    std::memcpy(ends, CMSG_DATA(head), sizeof ends);
  return got > 0;
}

void isolate::acceptConversations(std::function<void(int, int)> hold) {
  fcntl(kControl, F_SETFD, FD_CLOEXEC);
  std::thread([hold = std::move(hold)] {
    for (int ends[2]; receive(ends);)
      if (ends[0] >= 0)
        std::thread([hold, input = ends[0], output = ends[1]] {
          hold(input, output);
          close(input);
          close(output);
        }).detach();
  }).detach();
}

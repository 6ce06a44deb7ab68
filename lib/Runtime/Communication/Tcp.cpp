// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges over TCP: a connection between every two ranks. Combinations and
// gathers go around a ring. Every message begins with the signature of its
// exchange; all ones say that the sender has ended its program.
#include "Combine.h"
#include "HostCommunicator.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

using namespace kiln::communication;

namespace {

constexpr uint64_t kBye = ~uint64_t(0);
constexpr size_t kTokenBytes = 32;
constexpr int kPollMilliseconds = 100;

/// One message on its way.
struct Message {
  int64_t peer;
  char *data;
  uint64_t bytes;
  bool isSend;
  uint64_t signature = 0;
  uint64_t done = 0; ///< with the signature

  bool isDone() const { return done == bytes + sizeof(signature); }
};

/// Addresses of this host, the loopback last.
std::string ownAddresses() {
  std::string list, loopback;
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) == 0) {
    for (ifaddrs *one = all; one; one = one->ifa_next) {
      if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET)
        continue;
      char text[INET_ADDRSTRLEN] = {};
      auto *address = reinterpret_cast<sockaddr_in *>(one->ifa_addr);
      inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
      (std::strncmp(text, "127.", 4) == 0 ? loopback : list) +=
          std::string(text) + " ";
    }
    freeifaddrs(all);
  }
  return list + loopback;
}

bool transferAll(int fd, char *data, size_t size, bool isSend, int timeout) {
  while (size) {
    pollfd ready = {fd, short(isSend ? POLLOUT : POLLIN), 0};
    if (poll(&ready, 1, timeout) <= 0)
      return false;
    ssize_t moved = isSend ? send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT)
                           : recv(fd, data, size, MSG_DONTWAIT);
    if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR))
      return false;
    if (moved > 0) {
      data += moved;
      size -= size_t(moved);
    }
  }
  return true;
}

class Tcp : public KilnCommunicator {
public:
  explicit Tcp(const KilnCommunicatorDescription &description)
      : KilnCommunicator(description), sockets(size_t(size), -1),
        haveLeft(size_t(size)) {
    try {
      connectAll(description);
    } catch (...) {
      finish();
      closeAll();
      throw;
    }
  }

  ~Tcp() override {
    finish();
    for (int fd : sockets)
      if (fd >= 0 && !isBroken) {
        uint64_t bye = kBye;
        (void)!send(fd, &bye, sizeof bye, MSG_NOSIGNAL | MSG_DONTWAIT);
      }
    closeAll();
  }

private:
  void closeAll() {
    for (int &fd : sockets) {
      if (fd >= 0)
        close(fd);
      fd = -1;
    }
  }

  void connectAll(const KilnCommunicatorDescription &description) {
    if (rank == 0)
      setKey(description, "token", randomText());
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    socklen_t length = sizeof any;
    auto *address = reinterpret_cast<sockaddr *>(&any);
    if (listener < 0 || bind(listener, address, length) != 0 ||
        listen(listener, int(size)) != 0 ||
        getsockname(listener, address, &length) != 0)
      throw Failure(std::string("cannot listen: ") + std::strerror(errno));
    try {
      setKey(description, "address/" + std::to_string(rank),
             std::to_string(ntohs(any.sin_port)) + " " + ownAddresses());
      std::string token = getKey(description, "token");
      for (int64_t peer = 0; peer < rank; ++peer)
        connectTo(description, peer, token);
      auto end = std::chrono::steady_clock::now() +
                 std::chrono::duration<double>(description.seconds);
      for (int64_t missing = size - 1 - rank; missing > 0;) {
        pollfd ready = {listener, POLLIN, 0};
        if (std::chrono::steady_clock::now() > end)
          throw Failure(std::to_string(missing) + " ranks have not come");
        if (poll(&ready, 1, kPollMilliseconds) > 0 && accept(listener, token))
          --missing;
        else // fails if the ranks have given up
          getKey(description, "token");
      }
    } catch (...) {
      close(listener);
      throw;
    }
    close(listener);
    for (int64_t peer = 0; peer < size; ++peer)
      if (peer != rank)
        prepare(sockets[size_t(peer)]);
  }

  /// What tells a host that is gone from one that is slow.
  static void prepare(int fd) {
    auto set = [&](int level, int name, int value) {
      setsockopt(fd, level, name, &value, sizeof value);
    };
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 2);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 2);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 8000);
  }

  void connectTo(const KilnCommunicatorDescription &description, int64_t peer,
                 const std::string &token) {
    std::istringstream text(
        getKey(description, "address/" + std::to_string(peer)));
    unsigned port = 0;
    text >> port;
    for (std::string address; text >> address;) {
      sockaddr_in to = {};
      to.sin_family = AF_INET;
      to.sin_port = htons(uint16_t(port));
      inet_pton(AF_INET, address.c_str(), &to.sin_addr);
      int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      timeval limit = {5, 0};
      setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
      std::string hello = token + std::string(8, 0);
      std::memcpy(hello.data() + kTokenBytes, &rank, sizeof rank);
      char answer = 0;
      if (connect(fd, reinterpret_cast<sockaddr *>(&to), sizeof to) == 0 &&
          transferAll(fd, hello.data(), hello.size(), true, 5000) &&
          transferAll(fd, &answer, 1, false, int(description.seconds * 1000)) &&
          answer == 'K') {
        sockets[size_t(peer)] = fd;
        return;
      }
      close(fd);
    }
    throw Failure("cannot connect to " + nameOf(peer));
  }

  bool accept(int listener, const std::string &token) {
    int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      return false;
    char hello[kTokenBytes + 8], yes = 'K';
    int64_t peer = -1;
    bool good = token.size() == kTokenBytes &&
                transferAll(fd, hello, sizeof hello, false, 5000) &&
                std::memcmp(hello, token.data(), kTokenBytes) == 0;
    if (good)
      std::memcpy(&peer, hello + kTokenBytes, sizeof peer);
    good = good && peer > rank && peer < size && sockets[size_t(peer)] < 0 &&
           transferAll(fd, &yes, 1, true, 5000);
    if (!good) {
      close(fd);
      return false;
    }
    sockets[size_t(peer)] = fd;
    return true;
  }

  void checkRanks() override {
    for (int64_t peer = 0; peer < size; ++peer) {
      char byte;
      if (peer == rank || haveLeft[size_t(peer)])
        continue;
      ssize_t got =
          recv(sockets[size_t(peer)], &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      if ((got == 0 && !haveLeft[size_t(peer)]) ||
          (got < 0 && errno != EAGAIN && errno != EINTR))
        throw gone(peer);
    }
  }

  /// The others find their connections ended.
  void tellAbort(const std::string &) override {
    isBroken = true;
    for (int fd : sockets)
      if (fd >= 0)
        shutdown(fd, SHUT_RDWR);
  }

  /// As many bytes of a message as go now.
  void advance(Message &message) {
    constexpr uint64_t head = sizeof(message.signature);
    int fd = sockets[size_t(message.peer)];
    char *bytes =
        message.done < head
            ? reinterpret_cast<char *>(&message.signature) + message.done
            : message.data + (message.done - head);
    uint64_t left =
        (message.done < head ? head : head + message.bytes) - message.done;
    ssize_t moved =
        message.isSend
            ? send(fd, bytes, left,
                   MSG_NOSIGNAL | MSG_DONTWAIT |
                       (message.done < head && message.bytes ? MSG_MORE : 0))
            : recv(fd, bytes, left, MSG_DONTWAIT);
    if (moved < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (moved <= 0) {
      checkAborted();
      throw gone(message.peer);
    }
    message.done += uint64_t(moved);
    if (message.isSend || message.done - uint64_t(moved) >= head ||
        message.done < head)
      return;
    if (message.signature == kBye) {
      haveLeft[size_t(message.peer)] = true;
      throw Failure(nameOf(message.peer) + " has ended its program");
    }
    if (message.signature != signature)
      throw Failure(nameOf(message.peer) + " and " + nameOf(rank) +
                    " are at different exchanges");
  }

  /// Carries out sends and receptions at once. Several with one peer go in
  /// their order.
  void transfer(std::vector<Message> messages) {
    for (Message &message : messages)
      if (message.isSend)
        message.signature = signature;
    while (true) {
      std::vector<pollfd> ready;
      std::vector<Message *> waiting;
      for (Message &message : messages)
        if (!message.isDone()) {
          ready.push_back({sockets[size_t(message.peer)],
                           short(message.isSend ? POLLOUT : POLLIN), 0});
          waiting.push_back(&message);
        }
      if (waiting.empty())
        return;
      int count = poll(ready.data(), ready.size(), kPollMilliseconds);
      checkAborted();
      for (size_t i = 0; count > 0 && i < ready.size(); ++i)
        if (ready[i].revents)
          advance(*waiting[i]);
    }
  }

  int64_t after(int64_t steps) const {
    return ((rank + steps) % size + size) % size;
  }
  /// Elements that part k begins with.
  uint64_t begin(int64_t k) const {
    return count * uint64_t(k) / uint64_t(size);
  }
  uint64_t bytesOf(int64_t k) const {
    return (begin(k + 1) - begin(k)) * width;
  }

  /// Parts go around until part `rank` of `data` is combined here.
  void reduceAround(const KilnCollective &c, char *data) {
    std::vector<char> got((count / uint64_t(size) + 1) * width);
    for (int64_t s = 1; s < size; ++s) {
      int64_t out = after(-s), in = after(-s - 1);
      transfer({{after(1), data + begin(out) * width, bytesOf(out), true},
                {after(-1), got.data(), bytesOf(in), false}});
      combine(c.combiner, c.dtype, data + begin(in) * width, got.data(),
              begin(in + 1) - begin(in));
    }
  }

  /// Part `rank` of each rank goes around.
  void gatherAround(char *data) {
    for (int64_t s = 0; s + 1 < size; ++s) {
      int64_t out = after(-s), in = after(-s - 1);
      transfer({{after(1), data + begin(out) * width, bytesOf(out), true},
                {after(-1), data + begin(in) * width, bytesOf(in), false}});
    }
  }

  /// From rank 0 to twice as many ranks in every step.
  void broadcast(char *data, uint64_t bytes) {
    for (int64_t reach = 1; reach < size; reach *= 2) {
      if (rank < reach && rank + reach < size)
        transfer({{rank + reach, data, bytes, true}});
      else if (rank >= reach && rank < 2 * reach)
        transfer({{rank - reach, data, bytes, false}});
    }
  }

  void execute(const KilnCollective &c) override {
    signature = signatureOf(c);
    width = elementBytes(c.dtype);
    count = c.count;
    uint64_t bytes = count * width;
    auto *source = const_cast<char *>(static_cast<const char *>(c.source));
    auto *target = static_cast<char *>(c.target);
    switch (c.kind) {
    case KILN_COLLECTIVE_ALL_REDUCE:
      std::memmove(target, source, bytes);
      reduceAround(c, target);
      return gatherAround(target);
    case KILN_COLLECTIVE_ALL_GATHER:
      std::memcpy(target + uint64_t(rank) * bytes, source, bytes);
      count *= uint64_t(size);
      return gatherAround(target);
    case KILN_COLLECTIVE_REDUCE_SCATTER: {
      std::vector<char> sums(source, source + bytes);
      reduceAround(c, sums.data());
      std::memcpy(target, sums.data() + begin(rank) * width, bytesOf(rank));
      return;
    }
    case KILN_COLLECTIVE_ALL_TO_ALL: {
      uint64_t part = bytes / uint64_t(size);
      std::memcpy(target + uint64_t(rank) * part,
                  source + uint64_t(rank) * part, part);
      for (int64_t s = 1; s < size; ++s) {
        int64_t to = after(s), from = after(-s);
        transfer({{to, source + uint64_t(to) * part, part, true},
                  {from, target + uint64_t(from) * part, part, false}});
      }
      return;
    }
    case KILN_COLLECTIVE_BROADCAST:
      if (rank == 0)
        std::memmove(target, source, bytes);
      return broadcast(target, bytes);
    default: {
      std::vector<Message> messages;
      for (uint32_t p = 0; p < c.numPairs; ++p) {
        int64_t from = c.pairs[2 * p], to = c.pairs[2 * p + 1];
        if (from == rank && to == rank)
          std::memmove(target, source, bytes);
        else if (from == rank)
          messages.push_back({to, source, bytes, true});
        else if (to == rank)
          messages.push_back({from, target, bytes, false});
      }
      return transfer(std::move(messages));
    }
    }
  }

  std::vector<int> sockets; ///< by peer
  std::vector<std::atomic<bool>> haveLeft;
  std::atomic<bool> isBroken = false;
  uint64_t signature = 0, width = 1, count = 0;
};

} // namespace

KILN_COMMUNICATION_NOTE();

const KilnCommunicationDriver *kilnGetCommunicationDriver(uint32_t apiMajor) {
  static const KilnCommunicationDriver table = hostTable<Tcp>("tcp");
  return apiMajor == KILN_COMMUNICATION_API_MAJOR ? &table : nullptr;
}

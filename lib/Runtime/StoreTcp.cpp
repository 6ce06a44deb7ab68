// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A store of keys that rank 0 keeps for the others, behind a TCP port. A
// request is 'S' or 'G', the length of the key, the key, and for 'S' the
// length of the value and the value; the answer to 'G' is the length of the
// value and the value, when there is one.
#include "kiln/Runtime/Store.h"
#include "kiln/System/Process.h"
#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace kiln::runtime;

namespace {

constexpr uint32_t kMaxBytes = 1 << 24;

bool sendAll(int fd, const void *data, size_t size) {
  auto *bytes = static_cast<const char *>(data);
  while (size) {
    ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    bytes += sent;
    size -= size_t(sent);
  }
  return true;
}

bool receiveAll(int fd, void *data, size_t size) {
  auto *bytes = static_cast<char *>(data);
  while (size) {
    ssize_t got = recv(fd, bytes, size, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    bytes += got;
    size -= size_t(got);
  }
  return true;
}

/// Small messages do not wait for the answer to those before them.
void sendAtOnce(int fd) {
  int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

bool sendText(int fd, const std::string &text) {
  auto size = uint32_t(text.size());
  return sendAll(fd, &size, sizeof size) && sendAll(fd, text.data(), size);
}

bool receiveText(int fd, std::string &text) {
  uint32_t size = 0;
  if (!receiveAll(fd, &size, sizeof size) || size > kMaxBytes)
    return false;
  text.resize(size);
  return receiveAll(fd, text.data(), size);
}

/// Keeps the keys; a thread for each rank that asks.
class Server {
public:
  static Expected<std::unique_ptr<Server>> open(const addrinfo *addresses) {
    std::string reason = "no address";
    for (const addrinfo *one = addresses; one; one = one->ai_next) {
      int fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (fd < 0)
        continue;
      int yes = 1;
      setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      if (bind(fd, one->ai_addr, one->ai_addrlen) == 0 && listen(fd, 128) == 0)
        return std::unique_ptr<Server>(new Server(fd));
      reason = std::strerror(errno);
      close(fd);
    }
    return Error("cannot listen: " + reason);
  }

  ~Server() {
    shutdown(listener, SHUT_RDWR);
    accepting.join();
    {
      std::lock_guard<std::mutex> lock(mutex);
      for (int fd : connections)
        shutdown(fd, SHUT_RDWR);
    }
    for (std::thread &thread : serving)
      thread.join();
    for (int fd : connections)
      close(fd);
    close(listener);
  }

private:
  explicit Server(int fd)
      : listener(fd), values(openProcessStoreOfOwn()),
        accepting([this] { acceptAll(); }) {}

  static std::shared_ptr<Store> openProcessStoreOfOwn() {
    static std::mutex counting;
    static uint64_t next = 0;
    std::lock_guard<std::mutex> lock(counting);
    return openProcessStore("\n" + std::to_string(next++));
  }

  void acceptAll() {
    while (true) {
      int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
        continue;
      if (fd < 0)
        return;
      sendAtOnce(fd);
      std::lock_guard<std::mutex> lock(mutex);
      connections.push_back(fd);
      serving.emplace_back([this, fd] { serve(fd); });
    }
  }

  void serve(int fd) {
    char request = 0;
    while (receiveAll(fd, &request, 1)) {
      std::string key, value;
      if ((request != 'S' && request != 'G') || !receiveText(fd, key) ||
          (request == 'S' && !receiveText(fd, value)))
        break;
      if (request == 'S') {
        if (values->set(key, value))
          break;
        continue;
      }
      // Whoever asks decides for how long.
      Expected<std::string> found = Error("");
      while (!(found = values->get(key, 0.2)))
        if (isGone(fd))
          return;
      if (!sendText(fd, *found))
        break;
    }
  }

  static bool isGone(int fd) {
    char byte;
    ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  }

  int listener;
  std::shared_ptr<Store> values;
  std::mutex mutex;
  std::vector<int> connections;
  std::vector<std::thread> serving;
  std::thread accepting;
};

class TcpStore : public Store {
public:
  TcpStore(int fd, std::unique_ptr<Server> server)
      : fd(fd), server(std::move(server)) {}
  ~TcpStore() override { close(fd); }

  Error set(const std::string &key, const std::string &value) override {
    std::lock_guard<std::mutex> lock(mutex);
    if (value.size() > kMaxBytes || !sendAll(fd, "S", 1) ||
        !sendText(fd, key) || !sendText(fd, value))
      return Error("the connection to rank 0's key-value store has ended");
    return Error::success();
  }

  Expected<std::string> get(const std::string &key, double seconds) override {
    std::lock_guard<std::mutex> lock(mutex);
    if (isEnded)
      return Error(reason);
    // A key has one value. Rank 0 may have read all keys, and left.
    if (auto known = values.find(key); known != values.end())
      return known->second;
    std::string value;
    if (!sendAll(fd, "G", 1) || !sendText(fd, key))
      return Error("the connection to rank 0's key-value store has ended");
    pollfd ready = {fd, POLLIN, 0};
    if (poll(&ready, 1, int(seconds * 1000)) == 0) {
      // An answer that comes later would be taken for another one.
      shutdown(fd, SHUT_RDWR);
      return Error("no rank has written '" + key + "' within " +
                   std::to_string(int(seconds)) +
                   " seconds: are all ranks running?");
    }
    if (!receiveText(fd, value))
      return Error(isEnded ? reason
                           : "the connection to rank 0's key-value store has "
                             "ended");
    return values[key] = value;
  }

  /// What waits sees the end of the connection.
  void end(const std::string &why) override {
    std::call_once(ending, [&] {
      reason = why;
      isEnded = true;
      shutdown(fd, SHUT_RDWR);
    });
  }

private:
  std::mutex mutex;
  std::map<std::string, std::string> values; ///< that `get` has returned
  std::once_flag ending;
  std::string reason;
  std::atomic<bool> isEnded = false;
  int fd;
  std::unique_ptr<Server> server;
};

int connectTo(const addrinfo *addresses) {
  for (const addrinfo *one = addresses; one; one = one->ai_next) {
    int fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
      continue;
    if (connect(fd, one->ai_addr, one->ai_addrlen) == 0) {
      sendAtOnce(fd);
      return fd;
    }
    close(fd);
  }
  return -1;
}

} // namespace

Expected<std::shared_ptr<Store>>
kiln::runtime::openTcpStore(const std::string &host, const std::string &port,
                            bool serves, double seconds) {
  addrinfo hints = {}, *addresses = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  std::string where = "tcp:" + host + ":" + port + ": ";
  if (int status = getaddrinfo(host.c_str(), port.c_str(), &hints, &addresses))
    return Error(where + gai_strerror(status));
  std::unique_ptr<addrinfo, void (*)(addrinfo *)> owner(addresses,
                                                        freeaddrinfo);
  std::unique_ptr<Server> server;
  if (serves) {
    auto opened = Server::open(addresses);
    if (!opened)
      return Error(where + opened.message());
    server = std::move(*opened);
  }
  auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int fd = connectTo(addresses);
  while (fd < 0) {
    if (std::chrono::steady_clock::now() > end)
      return Error(where + "rank 0 does not answer");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    fd = connectTo(addresses);
  }
  return std::shared_ptr<Store>(
      std::make_shared<TcpStore>(fd, std::move(server)));
}

//===- WorkerServer.cpp - Compiling processes without their start ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerServer.h"
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::driver;

/// Milliseconds after which the server ends when no request came, and after
/// which it counts as hanging.
static constexpr int kIdle = 60000, kPatience = 30000;
/// The largest request, and how many descriptors it may have.
static constexpr size_t kMostBytes = 1 << 17, kMostFds = 16;
/// Of a request: the standard ones, and where the end is told.
static constexpr size_t kStandard = 3, kOwnFds = kStandard + 1;

extern char **environ;

namespace {
/// What a process inherits and cannot be told later.
struct Conditions {
  pid_t host = getpid();
  std::string program, folder;
  std::vector<std::string> environment;
  std::vector<rlim_t> limits;
  cpu_set_t processors;

  explicit Conditions(std::string program) : program(std::move(program)) {
    std::error_code ignored;
    folder = std::filesystem::current_path(ignored).string();
    for (char **entry = environ; entry && *entry; ++entry)
      environment.emplace_back(*entry);
    for (int i = 0; i < RLIM_NLIMITS; ++i) {
      rlimit limit{};
      getrlimit(static_cast<__rlimit_resource>(i), &limit);
      limits.insert(limits.end(), {limit.rlim_cur, limit.rlim_max});
    }
    CPU_ZERO(&processors);
    sched_getaffinity(0, sizeof processors, &processors);
  }
  bool operator==(const Conditions &other) const {
    return host == other.host && program == other.program &&
           folder == other.folder && environment == other.environment &&
           limits == other.limits && CPU_EQUAL(&processors, &other.processors);
  }
};

/// The server of this process.
struct Server {
  std::mutex mutex;
  int socket = -1;
  pid_t starter = -1; ///< forks the server and ends
  std::optional<Conditions> conditions;

  void leave() {
    if (socket >= 0)
      close(std::exchange(socket, -1));
  }
  bool start(Conditions now) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
      return false;
    auto child = runtime::startProgram(now.program, {"serve"}, {ends[1]});
    close(ends[1]);
    if (!child)
      return close(ends[0]), false;
    socket = ends[0];
    starter = *child;
    conditions = std::move(now);
    return true;
  }
};

/// Room for descriptors beside a message.
struct Control {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFds * sizeof(int))> bytes{};
};
} // namespace

ServedWorker::~ServedWorker() {
  if (ending >= 0)
    close(ending);
}

runtime::Ending ServedWorker::awaitEnd() const {
  int status = 0;
  ssize_t got = 0;
  while ((got = read(ending, &status, sizeof status)) < 0 && errno == EINTR)
    ;
  return got == sizeof status ? runtime::Ending::of(status) : runtime::Ending();
}

static bool sendRequest(int socket, const std::vector<std::string> &args,
                        const std::vector<int> &fds) {
  std::string text;
  for (const std::string &arg : args)
    text.append(arg.c_str(), arg.size() + 1);
  if (text.empty() || text.size() > kMostBytes || fds.size() > kMostFds)
    return false;
  Control control;
  iovec part = {text.data(), text.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
  return sendmsg(socket, &message, MSG_NOSIGNAL) == ssize_t(text.size());
}

/// The process that the server has forked, or -1.
static pid_t receiveReply(int socket) {
  pollfd waiting = {socket, POLLIN, 0};
  pid_t pid = -1;
  int ready = 0;
  while ((ready = poll(&waiting, 1, kPatience)) < 0 && errno == EINTR)
    ;
  if (ready <= 0 || recv(socket, &pid, sizeof pid, 0) != sizeof pid)
    return -1;
  return pid;
}

bool kiln::driver::askServer(const std::string &program,
                             const std::vector<std::string> &args,
                             const std::vector<int> &fds,
                             ServedWorker &worker) {
  static auto &server = *new Server; // a thread may ask while the process ends
  std::lock_guard<std::mutex> lock(server.mutex);
  std::vector<int> all = {0, 1, 2};
  for (int fd : all)
    if (fcntl(fd, F_GETFD) < 0)
      return false;
  Conditions now(program);
  if (server.conditions && !(*server.conditions == now))
    server.leave();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return false;
  all.push_back(ends[1]);
  all.insert(all.end(), fds.begin(), fds.end());
  pid_t pid = -1;
  // One that has been there may have ended just now.
  for (bool isFresh = false; pid < 0 && !isFresh;) {
    isFresh = server.socket < 0;
    if (isFresh && !server.start(now))
      break;
    if (sendRequest(server.socket, args, all))
      pid = receiveReply(server.socket);
    if (isFresh && server.starter > 0)
      (void)runtime::awaitEnd(std::exchange(server.starter, -1));
    if (pid < 0)
      server.leave();
  }
  close(ends[1]);
  if (pid < 0)
    return close(ends[0]), false;
  worker.pid = pid;
  worker.ending = ends[0];
  return true;
}

/// One request: its arguments and descriptors; false where there are no more.
static bool receiveRequest(int socket, std::vector<std::string> &args,
                           std::vector<int> &fds) {
  std::string text(kMostBytes, '\0');
  Control control;
  iovec part = {text.data(), text.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  ssize_t got = 0;
  while ((got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 &&
         errno == EINTR)
    ;
  if (got <= 0)
    return false;
  for (size_t at = 0; at < size_t(got); at += args.back().size() + 1)
    args.emplace_back(text.c_str() + at);
  if (cmsghdr *header = CMSG_FIRSTHDR(&message)) {
    fds.resize((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(fds.data(), CMSG_DATA(header), fds.size() * sizeof(int));
  }
  return fds.size() >= kOwnFds;
}

static bool hasOneThread() {
  std::error_code error;
  std::filesystem::directory_iterator it("/proc/self/task", error);
  return !error && std::distance(begin(it), end(it)) == 1;
}

namespace {
/// The loop of the server.
class Serving {
public:
  using Compile = llvm::function_ref<int(const std::vector<std::string> &,
                                         const std::vector<int> &)>;

  Serving(int requests, Compile compile, llvm::function_ref<void()> warm,
          llvm::function_ref<void()> prepareSpare)
      : requests(requests), compile(compile), warm(warm),
        prepareSpare(prepareSpare) {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, &before);
    std::signal(SIGPIPE, SIG_IGN); // a host may not care how its worker ends
    ended = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    fcntl(requests, F_SETFD, FD_CLOEXEC);
  }

  [[noreturn]] void run() {
    while (true) {
      std::array<pollfd, 2> waiting = {pollfd{requests, POLLIN, 0},
                                       pollfd{ended, POLLIN, 0}};
      bool prepares = hasServed && running.empty() && !isPrepared();
      int ready = poll(waiting.data(), waiting.size(),
                       prepares          ? 0
                       : running.empty() ? kIdle
                                         : -1);
      if (ready == 0 && prepares) {
        prepare();
        continue;
      }
      if (ready == 0)
        _exit(0);
      if (waiting[1].revents)
        tellEnds();
      if (waiting[0].revents)
        answer();
    }
  }

private:
  bool isPrepared() const { return isWarm && (!keepsSpare || spare.pid > 0); }

  /// What can be done before the next request: first in this process, then in
  /// one that will take the request.
  void prepare() {
    if (isWarm)
      return forkSpare();
    warm();
    isWarm = true;
    if (!hasOneThread()) // another one may be within a lock when it forks
      _exit(0);
  }

  /// Tells the ends of processes that have ended, by their descriptors.
  void tellEnds() {
    signalfd_siginfo info;
    while (read(ended, &info, sizeof info) > 0)
      ;
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (pid == spare.pid) {
        loseSpare();
        continue;
      }
      auto found = running.find(pid);
      if (found == running.end())
        continue;
      (void)runtime::writeFully(found->second, &status, sizeof status);
      close(found->second);
      running.erase(found);
    }
  }

  void answer() {
    std::vector<std::string> args;
    std::vector<int> fds;
    if (!receiveRequest(requests, args, fds))
      _exit(0); // the host has ended, and with this process its workers do
    pid_t pid = takeSpare(args, fds);
    if (pid < 0)
      pid = fork();
    if (pid == 0) {
      begin();
      close(requests);
      work(args, fds);
    }
    for (size_t i = 0; i < fds.size(); ++i)
      if (pid < 0 || i != kStandard)
        close(fds[i]);
    if (pid > 0)
      running[pid] = fds[kStandard];
    hasServed = true;
    (void)send(requests, &pid, sizeof pid, MSG_NOSIGNAL);
  }

  /// In a process that was forked.
  void begin() const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ended);
  }

  /// In that process: does what was requested.
  [[noreturn]] void work(const std::vector<std::string> &args,
                         const std::vector<int> &fds) {
    std::signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    close(fds[kStandard]);
    for (size_t i = 0; i < kStandard; ++i)
      dup2(fds[i], int(i));
    _exit(compile(args, std::vector<int>(fds.begin() + kOwnFds, fds.end())));
  }

  /// Forks a process ahead of its request, which prepares itself.
  void forkSpare() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
      keepsSpare = false;
      return;
    }
    pid_t pid = fork();
    if (pid == 0) {
      begin();
      close(requests);
      close(ends[0]);
      prepareSpare();
      std::vector<std::string> args;
      std::vector<int> fds;
      if (hasOneThread() && send(ends[1], "", 1, MSG_NOSIGNAL) == 1 &&
          receiveRequest(ends[1], args, fds)) {
        close(ends[1]);
        work(args, fds);
      }
      _exit(0);
    }
    close(ends[1]);
    spare = {pid, ends[0]};
    if (pid < 0)
      loseSpare();
  }

  /// One that ends by itself would do so again.
  void loseSpare() {
    close(spare.channel);
    spare = {};
    keepsSpare = false;
  }

  /// Hands a request to the process that was forked ahead, if it is ready.
  pid_t takeSpare(const std::vector<std::string> &args,
                  const std::vector<int> &fds) {
    char byte;
    if (spare.pid < 0 || recv(spare.channel, &byte, 1, MSG_DONTWAIT) != 1)
      return -1;
    if (!sendRequest(spare.channel, args, fds))
      return loseSpare(), -1;
    close(spare.channel);
    return std::exchange(spare, {}).pid;
  }

  struct Spare {
    pid_t pid = -1;
    int channel = -1; ///< says that it is ready, and takes a request
  };

  int requests;
  Compile compile;
  llvm::function_ref<void()> warm, prepareSpare;
  sigset_t before; ///< the signals that were blocked
  int ended;       ///< tells that children have ended
  std::map<pid_t, int> running;
  Spare spare;
  bool isWarm = false, hasServed = false, keepsSpare = true;
};
} // namespace

void kiln::driver::serve(
    int requests,
    llvm::function_ref<int(const std::vector<std::string> &,
                           const std::vector<int> &)>
        compile,
    llvm::function_ref<void()> warm, llvm::function_ref<void()> prepareSpare) {
  if (fork() != 0)
    _exit(0);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < int(kStandard) && null >= 0; ++fd)
    dup2(null, fd);
  Serving(requests, compile, warm, prepareSpare).run();
}

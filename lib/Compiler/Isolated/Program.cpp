//===- Program.cpp - A running program of a target ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Isolated/Program.h"
#include "Deadline.h"
#include "ServerProcess.h"
#include "kiln/Target/Activity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::isolated;
using llvm::StringRef;
using runtime::Error;
using runtime::Expected;
using Clock = std::chrono::steady_clock;

/// How often a wait looks whether the process is still there.
static constexpr int kTickMilliseconds = 50;
/// How long a program may take to end after `bye`, or to answer `cancel`.
static constexpr int kGraceMilliseconds = 2000;
/// How long after its output a program may end.
static constexpr int kClosedMilliseconds = 200;
/// How often a wait counts as progress of the step that it is part of.
static constexpr double kProgressSeconds = 0.1;
/// Memory of its own that a program may have, in MiB, unless
/// KILN_ISOLATED_MEMORY says otherwise.
static constexpr uint64_t kDefaultMemory = 16384;

static constexpr StringRef kInherited[] = {
    "PATH", "HOME",     "TMPDIR", "LANG",    "LC_ALL",         "LC_CTYPE",
    "TZ",   "HOSTNAME", "USER",   "LOGNAME", "LD_LIBRARY_PATH"};

double kiln::isolated::startSeconds() { return runtime::trialSeconds(); }
double kiln::isolated::stepSeconds() { return target::defaultStepSeconds(); }

std::vector<std::string> kiln::isolated::programEnvironment() {
  llvm::SmallVector<StringRef> more;
  if (const char *list = std::getenv("KILN_ISOLATED_ENV"))
    StringRef(list).split(more, ':', -1, /*KeepEmpty=*/false);
  std::vector<std::string> kept;
  for (char **variable = environ; *variable; ++variable) {
    StringRef name = StringRef(*variable).split('=').first;
    if (llvm::is_contained(kInherited, name) ||
        llvm::is_contained(more, name) || name.starts_with("KILN_TARGET_"))
      kept.push_back(*variable);
  }
  return kept;
}

/// Sets limits that hold for the process and for what it starts.
static void limitResources(pid_t pid) {
  uint64_t memory = kDefaultMemory;
  if (const char *given = std::getenv("KILN_ISOLATED_MEMORY"))
    if (uint64_t number; !StringRef(given).getAsInteger(10, number) && number)
      memory = number;
  memory = std::min<uint64_t>(memory, uint64_t(1) << 40) << 20;
  rlimit data{memory, memory}, none{0, 0};
  (void)prlimit(pid, RLIMIT_DATA, &data, nullptr);
  (void)prlimit(pid, RLIMIT_CORE, &none, nullptr);
}

namespace {
/// Pairs of descriptors, closed unless taken.
struct Ends {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1},
      control[2] = {-1, -1};

  /// Makes the pairs of one conversation.
  bool makeConversation() {
    // A socket, as writing to one whose other end is gone can be an error in
    // place of a signal.
    return !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) &&
           !pipe2(out, O_CLOEXEC);
  }
  /// Makes those that a process has once.
  bool makeProcess() {
    return !pipe2(err, O_CLOEXEC) &&
           !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control);
  }
  /// Closes what the other side has now.
  void closeTheirs() {
    for (int *fd : {&in[1], &out[1], &err[1], &control[1]})
      if (*fd >= 0)
        ::close(std::exchange(*fd, -1));
  }
  static int take(int (&pair)[2]) { return std::exchange(pair[0], -1); }
  ~Ends() {
    closeTheirs();
    for (int fd : {in[0], out[0], err[0], control[0]})
      if (fd >= 0)
        ::close(fd);
  }
};
} // namespace

static void setNonBlocking(int fd) {
  if (fd >= 0)
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

Expected<std::unique_ptr<Program>> Program::start(const std::string &path) {
  Ends ends;
  if (!ends.makeConversation() || !ends.makeProcess())
    return Error(std::string("cannot be started: ") + std::strerror(errno));
  auto pid = runtime::startServer(path, ends.in[1], ends.out[1], ends.err[1],
                                  ends.control[1], programEnvironment());
  ends.closeTheirs();
  if (!pid) {
    StringRef why = pid.message();
    why.consume_front(path);
    why.consume_front(": ");
    return Error(why.str());
  }
  limitResources(*pid);
  return adopt(path, *pid, Ends::take(ends.in), Ends::take(ends.out),
               Ends::take(ends.err), Ends::take(ends.control));
}

std::unique_ptr<Program> Program::adopt(std::string path, pid_t pid, int input,
                                        int output, int errors, int control) {
  std::unique_ptr<Program> program(new Program);
  program->path = std::move(path);
  program->input = input;
  program->output = output;
  program->process = std::make_shared<ServerProcess>(pid, errors, control);
  for (int fd : {input, output, errors})
    setNonBlocking(fd);
  return program;
}

std::unique_ptr<Program>
Program::open(std::string path, const std::shared_ptr<ServerProcess> &process) {
  Ends ends;
  if (!ends.makeConversation() ||
      !process->openConversation(ends.in[1], ends.out[1]))
    return nullptr;
  std::unique_ptr<Program> program(new Program);
  program->path = std::move(path);
  program->input = Ends::take(ends.in);
  program->output = Ends::take(ends.out);
  program->process = process;
  program->isFirst = false;
  for (int fd : {program->input, program->output})
    setNonBlocking(fd);
  return program;
}

Program::~Program() { closeEnds(); }

void Program::closeEnds() {
  for (int *fd : {&input, &output})
    if (*fd >= 0)
      ::close(std::exchange(*fd, -1));
}

void Program::kill() {
  closeEnds();
  (void)process->kill();
}

void Program::trace(const char *direction, const llvm::json::Object &head,
                    size_t bodyBytes) {
  const char *file = std::getenv("KILN_ISOLATED_TRACE");
  if (!file || !*file)
    return;
  int fd = open64(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0)
    return;
  std::string line =
      llvm::formatv("{0} {1} {2} +{3}\n", llvm::sys::path::filename(path),
                    direction, llvm::json::Value(llvm::json::Object(head)),
                    bodyBytes)
          .str();
  (void)runtime::writeFully(fd, line.data(), line.size());
  ::close(fd);
}

bool Program::readOutput() {
  return readAvailable(output, [&](const char *bytes, size_t size) {
    reader.take(StringRef(bytes, size));
  });
}

void Program::forwardErrors() {
  process->readErrors();
  if (std::string printed = process->takePrinted(); !printed.empty())
    llvm::errs() << printed;
}

bool Program::exchange(int milliseconds) {
  pollfd all[3] = {
      {output, POLLIN, 0}, {process->errorsToPoll(), POLLIN, 0}, {input, 0, 0}};
  if (!unsent.empty())
    all[2].events = POLLOUT;
  if (poll(all, unsent.empty() ? 2 : 3, milliseconds) <= 0)
    return true;
  if (all[1].revents)
    process->readErrors();
  if (!unsent.empty() && all[2].revents) {
    ssize_t sent = ::send(input, unsent.data(), unsent.size(), MSG_NOSIGNAL);
    if (sent > 0)
      unsent.erase(0, size_t(sent));
    else if (sent < 0 && errno != EAGAIN && errno != EINTR)
      unsent.clear(); // it reads no more; its output says the rest
  }
  return !all[0].revents || readOutput();
}

std::string Program::describeEnd(StringRef method) {
  // An output that is closed is about to be followed by the process's end.
  auto deadline = Clock::now() + std::chrono::milliseconds(kClosedMilliseconds);
  while (!process->hasEnded() && Clock::now() < deadline)
    usleep(1000);
  bool isGone = process->hasEnded();
  isEndedByAny = process->isShared();
  process->readErrors();
  runtime::Ending ending = process->kill();
  std::string half = reader.isInside()
                         ? " in the middle of a frame of " + reader.shortfall()
                         : "";
  std::string text;
  if (!isGone)
    text = "closes its output" + half;
  else if (ending.signal)
    text = "crashes: " + ending.describe() + half;
  else
    text = "ends with " + ending.describe() + half;
  text += ": expected an answer to '" + method.str() + "'";
  if (std::string printed = lastPrinted(); !printed.empty())
    text += "; it printed: " + printed;
  kill();
  return text;
}

std::string Program::lastPrinted() {
  std::string printed = process->takePrinted();
  StringRef last = StringRef(printed).rtrim();
  return quoteForeign(last.substr(last.rfind('\n') + 1), 240);
}

std::optional<Frame> Program::nextAnswer(std::string &error) {
  // Later versions may have notifications from a program, to be ignored.
  std::optional<Frame> frame = reader.next(error);
  while (frame && !frame->head.get("id") && frame->head.getString("method")) {
    trace("->", frame->head, frame->body.size());
    frame = reader.next(error);
  }
  return frame;
}

Expected<Answer> Program::unpack(Frame frame, int64_t id) {
  auto breaks = [&](const llvm::Twine &what) {
    kill();
    return Error(("breaks the protocol: " + what).str());
  };
  auto found = frame.head.getInteger("id");
  if (!found || *found != id)
    return breaks("expected the answer to request " + llvm::Twine(id) +
                  ", found " +
                  (found ? "that to " + llvm::Twine(*found).str()
                         : std::string("one without an integer 'id'")));
  const llvm::json::Object *error = frame.head.getObject("error");
  const llvm::json::Object *result = frame.head.getObject("result");
  if (bool(error) == bool(result))
    return breaks("expected an answer with an object 'result' or 'error'");
  if (!error)
    return Answer{*result, std::move(frame.body)};
  auto message = error->getString("message");
  if (!message)
    return breaks("expected an error with a string 'message'");
  return Error("reports an error: " + quoteForeign(*message, 1000));
}

Expected<Answer> Program::ask(StringRef method, llvm::json::Object params,
                              StringRef body, double seconds) {
  llvm::json::Object head{
      {"id", ++numRequests}, {"method", method}, {"params", std::move(params)}};
  trace("<-", head, body.size());
  unsent = writeFrame(head, body);
  Deadline deadline(process->group(), seconds);
  auto hangs = [&] {
    // It may wait for what another conversation holds.
    isEndedByAny = process->isShared();
    kill();
    return Error(llvm::formatv("hangs: no answer to '{0}' within {1} s", method,
                               llvm::format("%g", seconds))
                     .str());
  };
  bool isCancelled = false;
  double progress = kProgressSeconds;
  while (true) {
    bool isOpen = exchange(kTickMilliseconds);
    bool isGone = process->hasEnded();
    if (isGone)
      isOpen &= readOutput();
    std::string error;
    std::optional<Frame> frame = nextAnswer(error);
    if (isCancelled && (frame || !error.empty() || !isOpen || isGone))
      return hangs();
    if (!error.empty()) {
      kill();
      return Error("breaks the protocol: " + error);
    }
    if (frame) {
      trace("->", frame->head, frame->body.size());
      forwardErrors();
      return unpack(std::move(*frame), numRequests);
    }
    if (!isOpen || isGone)
      return Error(describeEnd(method));
    if (seconds > 0 && deadline.isOver()) {
      // One that still listens may put away what it has begun.
      if (isCancelled || !unsent.empty())
        return hangs();
      isCancelled = true;
      deadline.extend(std::min(seconds, kGraceMilliseconds / 1e3));
      unsent = writeFrame(llvm::json::Object{
          {"method", "cancel"},
          {"params", llvm::json::Object{{"id", numRequests}}}});
    }
    // The limit of steps is this one's to keep.
    if (deadline.passed() > progress && target::Activity::depth()) {
      target::Activity::begin("a target's program", nullptr);
      target::Activity::end();
      progress = deadline.passed() + kProgressSeconds;
    }
  }
}

std::optional<Frame> Program::send(StringRef bytes, double seconds,
                                   std::string &error) {
  unsent += bytes;
  Deadline deadline(process->group(), seconds);
  while (true) {
    bool isOpen = exchange(1), isGone = process->hasEnded();
    if (isGone)
      isOpen &= readOutput();
    std::optional<Frame> frame = nextAnswer(error);
    if (frame || !error.empty() || !isOpen || isGone || deadline.isOver())
      return frame;
  }
}

std::string Program::close(double seconds) {
  ::close(std::exchange(input, -1));
  unsent.clear();
  Deadline deadline(process->group(), seconds);
  bool isOpen = true;
  while (!process->hasEnded() && !deadline.isOver())
    if (isOpen)
      isOpen = exchange(1);
    else
      usleep(1000);
  std::string how;
  if (process->hasEnded()) {
    process->readErrors();
    how = process->kill().describe();
  }
  kill();
  return how;
}

void Program::end() {
  if (!isAlive() || !isFirst || !process->isOurs())
    return closeEnds();
  unsent = writeFrame(llvm::json::Object{{"id", ++numRequests},
                                         {"method", "bye"},
                                         {"params", llvm::json::Object{}}});
  auto deadline = Clock::now() + std::chrono::milliseconds(kGraceMilliseconds);
  bool isOpen = true;
  while (!process->hasEnded() && Clock::now() < deadline) {
    if (isOpen)
      isOpen = exchange(1);
    else
      usleep(1000);
    if (unsent.empty() && input >= 0)
      ::close(
          std::exchange(input, -1)); // who does not know the word sees the end
  }
  kill();
}

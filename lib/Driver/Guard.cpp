//===- Guard.cpp - Surviving hostile input --------------------------------===//

#include "kiln/Driver/Driver.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kiln::driver;
using llvm::StringRef;

/// Upstream's parsers recurse: this is deep enough for `kMaxDepth`.
static constexpr unsigned kStackBytes = 512u << 20;
/// Nesting that no honest input reaches.
static constexpr unsigned kMaxDepth = 1000;
/// Operators of one affine expression; the parser recurses at each.
static constexpr unsigned kMaxOperators = 100000;
/// Largest text.
static constexpr size_t kMaxBytes = size_t(4) << 30;

/// Runs `body` on a thread with a deep stack.
static int runDeep(const std::function<int()> &body) {
  int status = kInputFailed;
  llvm::thread worker(std::optional<unsigned>(kStackBytes),
                      [&] { status = body(); });
  worker.join();
  return status;
}

int kiln::driver::runInChild(const std::function<int()> &body,
                             const std::function<void()> &inParent,
                             std::string &crash) {
  crash.clear();
  const char *direct = std::getenv("KILN_NO_CHILD");
  // What waits in buffers must not be written twice.
  llvm::outs().flush();
  llvm::errs().flush();
  std::fflush(nullptr);
  pid_t child = direct && *direct == '1' ? -1 : fork();
  if (child < 0) {
    int status = runDeep(body);
    inParent();
    return status;
  }
  if (child == 0) {
    // Whoever ends the parent means the child too.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A core file of the compiler helps nobody who gave it a bad input.
    rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int status = flushOutput(runDeep(body));
    std::fflush(nullptr);
    _exit(status);
  }
  inParent();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  int number = WTERMSIG(status);
  // What the user sent to stop us stops the parent alike.
  if (number == SIGINT || number == SIGTERM || number == SIGHUP ||
      number == SIGPIPE) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  crash = strsignal(number);
  return kInputFailed;
}

int kiln::driver::runGuarded(StringRef input,
                             const std::function<int()> &body) {
  std::string crash;
  int status = runInChild(body, [] {}, crash);
  if (!crash.empty())
    llvm::errs() << (input.empty() ? StringRef("<input>") : input)
                 << ":1:1: error: the compiler cannot process this input ("
                 << crash << ")\n";
  return status;
}

std::optional<std::string> kiln::driver::scanText(StringRef text) {
  auto at = [&](size_t offset, const llvm::Twine &message) {
    StringRef before = text.take_front(offset);
    size_t line = before.count('\n') + 1;
    size_t column = offset - (before.rfind('\n') + 1) + 1;
    return (llvm::Twine(line) + ":" + llvm::Twine(column) +
            ": error: " + message)
        .str();
  };
  if (text.size() > kMaxBytes)
    return at(0, "expected at most 4 GiB of text");
  unsigned depth = 0, angles = 0, operators = 0;
  for (size_t i = 0, e = text.size(); i < e; ++i) {
    switch (text[i]) {
    case '\0':
      return at(i, "expected text, found a zero byte");
    case '/':
      if (i + 1 < e && text[i + 1] == '/') {
        i = text.find('\n', i);
        if (i == StringRef::npos)
          return std::nullopt;
      }
      break;
    case '"':
      for (++i; i < e && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\')
          ++i;
      break;
    case '(':
    case '[':
    case '{':
      ++depth;
      break;
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    case '<':
      // A comparison opens nothing.
      angles += i + 1 == e || text[i + 1] != '=';
      break;
    case '>':
      // Arrows close nothing.
      if (i == 0 || (text[i - 1] != '-' && text[i - 1] != '='))
        angles -= angles > 0;
      break;
    case '+':
    case '*':
    case '-':
      ++operators;
      break;
    case '=':
    case '%':
    case '@':
    case '#':
      operators = 0;
      break;
    default:
      break;
    }
    if (depth + angles > kMaxDepth)
      return at(i, "expected at most " + llvm::Twine(kMaxDepth) +
                       " levels of nesting");
    if (operators > kMaxOperators)
      return at(i, "expected at most " + llvm::Twine(kMaxOperators) +
                       " operators in one expression");
  }
  return std::nullopt;
}

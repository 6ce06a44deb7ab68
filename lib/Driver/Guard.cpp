//===- Guard.cpp - Surviving hostile input --------------------------------===//

#include "Guard.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Runtime/Process.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::driver;
using llvm::StringRef;

/// Upstream's parsers recurse: this is deep enough for `kMaxDepth`.
static constexpr size_t kStackBytes = 512u << 20;
/// Less than this is no better than the stack that the caller has.
static constexpr size_t kLeastStackBytes = 8u << 20;
/// Nesting that no honest input reaches.
static constexpr unsigned kMaxDepth = 1000;
/// Operators of one affine expression; the parser recurses at each.
static constexpr unsigned kMaxOperators = 100000;
/// Largest text.
static constexpr size_t kMaxBytes = size_t(4) << 30;

int kiln::driver::runDeep(const std::function<int()> &body) {
  struct Work {
    const std::function<int()> &body;
    int status = kInputFailed;
    std::exception_ptr thrown;
  } work = {body, kInputFailed, nullptr};
  auto run = [](void *opaque) -> void * {
    auto *work = static_cast<Work *>(opaque);
    try {
      work->status = work->body();
    } catch (...) {
      work->thrown = std::current_exception();
    }
    return nullptr;
  };
  // Where address space is limited, a smaller stack has to do.
  bool started = false;
  for (size_t bytes = kStackBytes; !started && bytes >= kLeastStackBytes;
       bytes /= 2) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    started = !pthread_attr_setstacksize(&attributes, bytes) &&
              !pthread_create(&thread, &attributes, run, &work);
    pthread_attr_destroy(&attributes);
    if (started)
      pthread_join(thread, nullptr);
  }
  if (!started)
    return body();
  if (work.thrown)
    std::rethrow_exception(work.thrown);
  return work.status;
}

namespace {
/// What is said at a fatal error; made beforehand, as there may be no memory.
struct LastWords {
  std::string name, outOfMemory;
  std::function<void(StringRef)> say;
  char *reserve = nullptr;
};
} // namespace
static LastWords lastWords;

/// Lets the first thread that comes here go on, to the end of the process.
static void claimLastWords() {
  static std::atomic<bool> isClaimed{false};
  while (isClaimed.exchange(true))
    pause();
  std::free(std::exchange(lastWords.reserve, nullptr));
}

[[noreturn]] static void outOfMemory() {
  claimLastWords();
  lastWords.say(lastWords.outOfMemory);
  _exit(kInputFailed);
}

void kiln::driver::exitOnFatalErrors(std::string name,
                                     std::function<void(StringRef)> say) {
  constexpr size_t kReserveBytes = 1 << 20;
  lastWords.outOfMemory = name + ":1:1: error: out of memory while compiling";
  lastWords.name = std::move(name);
  lastWords.say = std::move(say);
  if (!lastWords.reserve)
    lastWords.reserve = static_cast<char *>(std::malloc(kReserveBytes));
  std::set_new_handler(outOfMemory);
  llvm::remove_bad_alloc_error_handler();
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { outOfMemory(); });
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler([](void *, const char *why, bool) {
    claimLastWords();
    lastWords.say(lastWords.name +
                  ":1:1: error: the compiler cannot process this input (" +
                  why + ")");
    _exit(kInputFailed);
  });
}

void kiln::driver::beginChild() {
  runtime::declareOwnProcess();
  // A host may ignore the end of its children; the linker's is waited for.
  std::signal(SIGCHLD, SIG_DFL);
  // Whoever ends the parent means the child too.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A core file of the compiler helps nobody who gave it a bad input.
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

/// Closes with `status` what a tool has written.
static int flushed(int status) {
  llvm::outs().flush();
  llvm::errs().flush();
  std::fflush(nullptr);
  return status;
}

int kiln::driver::runGuarded(StringRef input, const std::function<int()> &body,
                             bool inProcess) {
  StringRef name = input.empty() ? StringRef("<input>") : input;
  runtime::declareOwnProcess();
  exitOnFatalErrors(name.str(),
                    [](StringRef line) { llvm::errs() << line << "\n"; });
  const char *direct = std::getenv("KILN_NO_CHILD");
  // What waits in buffers must not be written twice.
  flushed(kDone);
  pid_t child = inProcess || (direct && *direct == '1') ? -1 : fork();
  if (child < 0)
    return runDeep(body);
  if (child == 0) {
    beginChild();
    _exit(flushed(runDeep(body)));
  }
  runtime::Ending ending = runtime::awaitEnd(child);
  if (!ending.signal)
    return ending.isKnown ? ending.status : int(kInputFailed);
  // What the user sent to stop us stops the parent alike.
  int number = ending.signal;
  if (number == SIGINT || number == SIGTERM || number == SIGHUP ||
      number == SIGPIPE) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  llvm::errs() << name
               << ":1:1: error: the compiler cannot process this input ("
               << ending.describe() << ")\n";
  return kInputFailed;
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

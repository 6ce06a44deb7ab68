//===- Guard.cpp - Surviving hostile input --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Guard.h"
#include "kiln/Driver/Driver.h"
#include "kiln/System/Process.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/ActivityBoard.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::driver;
using llvm::StringRef;

/// Upstream's parsers recurse: this is deep enough for what `scanText` lets
/// through.
static constexpr size_t kStackBytes = 512u << 20;
/// Less than this is no better than the stack that the caller has.
static constexpr size_t kLeastStackBytes = 8u << 20;

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

/// The activities of this process, where it is a child that is waited for.
static target::SharedActivities *ownActivities = nullptr;

/// Lets the first thread that comes here go on, to the end of the process.
static void claimLastWords() {
  static std::atomic<bool> isClaimed{false};
  while (isClaimed.exchange(true))
    pause();
  std::free(std::exchange(lastWords.reserve, nullptr));
}

/// Ends the process, whose last words were said.
[[noreturn]] static void endProcess() {
  if (ownActivities)
    ownActivities->end();
  runtime::killGroups();
  _exit(kInputFailed);
}

[[noreturn]] static void outOfMemory() {
  claimLastWords();
  std::string whose = target::activityMessage("runs out of memory");
  lastWords.say(StringRef(whose).contains(" of plug-in '")
                    ? whose
                    : lastWords.outOfMemory);
  endProcess();
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
    std::string whose =
        target::activityMessage(llvm::Twine("gives up: ") + why);
    if (!whose.empty()) {
      lastWords.say(whose);
      endProcess();
    }
    lastWords.say(lastWords.name +
                  ":1:1: error: the compiler cannot process this input (" +
                  why + ")");
    endProcess();
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

static void sayOnStandardError(const char *line, size_t size) {
  // Only what may be called from a signal handler.
  (void)(runtime::writeFully(2, line, size) && runtime::writeFully(2, "\n", 1));
}

/// In the child: runs the body, and says that it came to its end.
[[noreturn]] static void runChild(StringRef name,
                                  const std::function<int()> &body,
                                  target::SharedActivities &activities,
                                  bool mayExit) {
  beginChild();
  ownActivities = &activities;
  activities.use();
  target::reportLostActivities(name, sayOnStandardError);
  target::limitSteps(target::defaultStepSeconds());
  if (mayExit)
    std::atexit([] {
      if (ownActivities->isIdle())
        ownActivities->end();
    });
  int status = flushOutput(runDeep(body));
  activities.end();
  _exit(status);
}

int kiln::driver::runGuarded(StringRef input, const std::function<int()> &body,
                             bool inProcess, bool mayExit) {
  StringRef name = input.empty() ? StringRef("<input>") : input;
  runtime::declareOwnProcess();
  exitOnFatalErrors(name.str(),
                    [](StringRef line) { llvm::errs() << line << "\n"; });
  const char *direct = std::getenv("KILN_NO_CHILD");
  // What waits in buffers must not be written twice.
  flushOutput(kDone);
  // The parent process may have set it to be ignored: no signal arrives then.
  std::signal(SIGCHLD, SIG_DFL);
  std::unique_ptr<target::SharedActivities> activities =
      target::SharedActivities::create();
  pid_t child = inProcess || (direct && *direct == '1') ? -1 : fork();
  if (child < 0) {
    target::reportExits(name, sayOnStandardError);
    // Whoever wants no child wants to see where it ends.
    llvm::sys::PrintStackTraceOnErrorSignal(name);
    return runDeep(body);
  }
  if (child == 0)
    runChild(name, body, *activities, mayExit);
  runtime::Ending ending = runtime::awaitEnd(child);
  if (!ending.signal && ending.isKnown && activities->hasEnded())
    return ending.status;
  if (!ending.signal) {
    std::string whose = activities->endMessage(name);
    llvm::errs() << (whose.empty()
                         ? name.str() +
                               ":1:1: error: the compiler ended with " +
                               ending.describe() + " before it was done"
                         : whose)
                 << "\n";
    return kInputFailed;
  }
  // What the user sent to stop us stops the parent alike.
  int number = ending.signal;
  if (number == SIGINT || number == SIGTERM || number == SIGHUP ||
      number == SIGPIPE) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  std::string whose = activities->endMessage(name, ending.describe());
  if (!whose.empty())
    llvm::errs() << whose << "\n";
  else
    llvm::errs() << name
                 << ":1:1: error: the compiler cannot process this input ("
                 << ending.describe() << "; " << target::kStackAdvice << ")\n";
  return kInputFailed;
}

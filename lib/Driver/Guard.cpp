//===- Guard.cpp - Surviving hostile input --------------------------------===//

#include "kiln/Driver/Driver.h"
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

/// Upstream's parsers recurse: this is deep enough for what `scanText` lets
/// through.
static constexpr unsigned kStackBytes = 512u << 20;
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

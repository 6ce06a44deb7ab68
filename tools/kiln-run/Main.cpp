// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-run: runs a package, or compiles and runs a program.
#include "Load.h"
#include "Options.h"
#include "Ranks.h"
#include "Runner.h"
#include "Watch.h"
#include "kiln/Runtime/StandardStreams.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

using namespace kiln::run;

/// What could not be printed is an error, too.
static int flushOutput(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return status;
  if (!errno) {
    // It went wrong long ago: ask for the reason again.
    std::clearerr(stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }
  std::string reason = std::strerror(errno ? errno : EIO);
  std::clearerr(stdout);
  printError("cannot write to standard output: " + reason);
  return status ? status : 1;
}

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  Options options;
  try {
    if (std::optional<int> status = parseOptions(argc, argv, options))
      return flushOutput(*status);
    if (options.ranks && options.rank < 0)
      return runRanks(argc, argv, options);
    if (std::string mistake = becomeRank(options); !mistake.empty()) {
      printError(mistake);
      return 2;
    }
    auto body = [&] {
      try {
        return flushOutput(runProgram(options));
      } catch (const std::bad_alloc &) {
        printError("out of memory");
        return 1;
      } catch (const std::exception &error) {
        printError(error.what());
        return 1;
      }
    };
    return supervise({options.timeLimit, options.timeout}, body);
  } catch (const std::exception &error) {
    printError(error.what());
    return 1;
  }
}

//===- Streams.cpp - Losing nothing that was printed ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Driver.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace kiln::driver;

int kiln::driver::flushOutput(int status) {
  std::string reason;
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  if (out.has_error()) {
    reason = out.error().message();
    // Else the stream ends the process in its own words.
    out.clear_error();
  }
  errno = 0;
  bool isLost = std::fflush(stdout) != 0 || std::ferror(stdout);
  if (isLost && !errno) {
    // It went wrong long ago: ask for the reason again.
    std::clearerr(stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }
  if (isLost && reason.empty())
    reason = std::strerror(errno ? errno : EIO);
  std::clearerr(stdout);
  llvm::errs().flush();
  if (reason.empty())
    return status;
  llvm::errs() << "error: cannot write to standard output: " << reason << "\n";
  return status == kDone ? int(kInputFailed) : status;
}

void kiln::driver::guardOutput() {
  // Constructed first, the stream outlives the handler.
  llvm::outs();
  std::atexit([] {
    if (flushOutput(kDone) != kDone)
      _exit(kInputFailed);
  });
}

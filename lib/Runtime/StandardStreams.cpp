// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeping the numbers of closed standard streams.
#include "kiln/Runtime/StandardStreams.h"
#include <cerrno>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

void kiln::runtime::occupyStandardStreams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
      continue;
    // The lowest free number is this one. Opened the wrong way round, so that
    // a result that should go to a closed stream is not lost in silence.
    int flags = fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY;
    if (open("/dev/null", flags) < 0)
      (void)open("/", O_RDONLY | O_DIRECTORY);
  }
}

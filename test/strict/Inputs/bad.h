// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the plug-ins of this folder do wrong: as the environment variable BAD
// says.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/Plugin.h"
#include <csignal>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

inline bool bad(llvm::StringRef what) {
  const char *wanted = std::getenv("BAD");
  return wanted && what == wanted;
}

/// Does not come back from `step`, if that is wanted.
inline void misbehave(const std::string &step) {
  if (bad(step + "-throws"))
    throw std::runtime_error("the tables are upside down");
  if (bad(step + "-crashes"))
    *reinterpret_cast<volatile int *>(8) = 0;
  if (bad(step + "-aborts"))
    std::abort();
  while (bad(step + "-hangs"))
    usleep(1000);
  if (bad(step + "-waits"))
    (void)std::system("sleep 100");
  if (bad(step + "-exits"))
    std::exit(0);
  if (bad(step + "-_exits"))
    _exit(0);
  if (bad(step + "-quick_exits"))
    std::quick_exit(0);
  if (bad(step + "-thread-exits"))
    std::thread([] { std::exit(0); }).join();
  if (bad(step + "-thread-throws"))
    std::thread([] { throw 3; }).join();
  if (bad(step + "-kills"))
    (void)raise(SIGKILL);
  static volatile size_t most = size_t(1) << 60;
  while (bad(step + "-takes-memory"))
    (void)!::operator new(most);
  if (bad(step + "-pthread_exits"))
    pthread_exit(nullptr);
  // A program that could not be started: the child is the plug-in's business.
  if (bad(step + "-forks")) {
    pid_t child = fork();
    if (child == 0)
      std::exit(127);
    waitpid(child, nullptr, 0);
  }
}

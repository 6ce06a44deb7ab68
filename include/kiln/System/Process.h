// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Child processes: when a fork is safe, and helper programs for when it is not.
#ifndef KILN_SYSTEM_PROCESS_H
#define KILN_SYSTEM_PROCESS_H

#include "kiln/System/Error.h"
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kiln::runtime {

/// Says that this process is Kiln's own: no thread but the one that forks holds
/// a lock that a child would wait for.
void declareOwnProcess();

/// Whether a child made by fork may go on working: the process is Kiln's own,
/// or has one thread only.
bool isForkSafe();

/// The path of a file in the folder `kiln` beside the library that holds
/// `anchor`.
std::string besideLibrary(const void *anchor, const char *name);

/// The path of a helper program: what the environment variable `variable`
/// says, else `kiln/NAME` in the folder of the library that holds `anchor`.
std::string helperProgram(const void *anchor, const char *name,
                          const char *variable);

/// Starts a program with the descriptors `fds` as its 3, 4, 5, ..., default
/// signals and no signal blocked. The message of a failure begins with the
/// path.
Expected<pid_t> startProgram(const std::string &path,
                             const std::vector<std::string> &args,
                             const std::vector<int> &fds);

/// Starts a program that is talked to: `input`, `output` and `errors` are its
/// standard streams, `control` its descriptor 3, `environment` ("NAME=VALUE")
/// all that it inherits. It leads a process group of its own, which `kill` with
/// the negated id ends whole.
Expected<pid_t> startServer(const std::string &path, int input, int output,
                            int errors, int control,
                            const std::vector<std::string> &environment);

/// Has a process group that this process started killed when this process ends
/// in any way, SIGKILL included, until it is forgotten: forget it before its
/// leader is waited for. Without /bin/sh only `killGroups` kills it.
void guardGroup(pid_t group);
void forgetGroup(pid_t group);
/// Kills the groups that are guarded; for signal handlers, too.
void killGroups();

/// How a process ended. Unknown where the host took the status away, which it
/// does by ignoring SIGCHLD or by waiting for any child.
struct Ending {
  bool isKnown = false;
  int status = 0; ///< of exit
  int signal = 0; ///< 0: none
  /// "Segmentation fault", "status 3".
  std::string describe() const;
  /// Of what waitpid says.
  static Ending of(int status);
};
/// Waits until a child process has ended.
Ending awaitEnd(pid_t pid);

/// What became of a program.
struct ProgramRun {
  bool isInTime = true;
  Ending ending;
  std::string printed; ///< on both streams, of which the end counts

  bool succeeded() const {
    return isInTime && ending.isKnown && !ending.signal && !ending.status;
  }
  /// Why it failed: "ld.lld: status 1: ...", with what it printed.
  std::string failure(const std::string &name) const;
};

/// Runs a program to its end, at most for `seconds`. It reads nothing, has
/// `fds` as its 3, 4, 5, ... and writes to `output` as its standard output, if
/// that is one. What else it prints comes back through a pipe, so that there is
/// room for it on a full disk.
Expected<ProgramRun> runProgram(const std::string &path,
                                const std::vector<std::string> &args,
                                const std::vector<int> &fds, double seconds,
                                int output = -1);

/// In a helper: closes what a careless host passed on beyond `numFds`
/// descriptors, leaves no core file and ends with the thread that started it.
void beginHelper(int numFds);

/// Seconds after which a trial load counts as hanging: KILN_TRIAL_SECONDS, else
/// 30.
unsigned trialSeconds();

/// Hands on what arrives at `fd` until its end, or until `take` returns false;
/// false when `seconds` (0: any time) have passed before.
bool readUntilEnd(int fd, double seconds,
                  const std::function<bool(const char *, size_t)> &take);

/// Writes all bytes.
bool writeFully(int fd, const void *data, size_t size);

} // namespace kiln::runtime

#endif

//===- ServerProcess.h - The process of a target's program ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns a process that leads its group. Conversations with it, each a `Program`,
// share it; it is killed with the last of them. Threads may use it at once.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_ISOLATED_SERVERPROCESS_H
#define KILN_LIB_ISOLATED_SERVERPROCESS_H

#include "kiln/System/Process.h"
#include <atomic>
#include <functional>
#include <mutex>
#include <string>

namespace kiln::isolated {

/// A process, what it prints, and how it ended.
class ServerProcess {
public:
  /// Takes over a process and the ends of its standard error and, unless -1, of
  /// the socket that conversations are opened over.
  ServerProcess(pid_t pid, int errors, int control);
  ~ServerProcess();
  ServerProcess(const ServerProcess &) = delete;

  pid_t group() const { return pid; }
  /// Whether this process started it: a child made by fork has a copy only.
  bool isOurs() const;
  /// Whether the process has ended, or was killed.
  bool hasEnded() const;
  /// Kills what is left of the group, and says how the process ended.
  runtime::Ending kill();

  /// Sends the ends of a conversation to the process.
  bool openConversation(int input, int output);
  /// Whether there has been more than one conversation: a failure may be the
  /// fault of another one.
  bool isShared() const { return shared; }

  /// What to poll for output on the standard error; -1: it is closed.
  int errorsToPoll() const;
  void readErrors();
  /// The end of what it printed since the last call.
  std::string takePrinted();

private:
  const pid_t pid, owner;
  const int errors, control;
  std::atomic<bool> shared{false};
  mutable std::mutex mutex; ///< of the following
  bool isErrorsOpen = true, isGone = false;
  runtime::Ending ending;
  std::string printed;
};

/// Hands on the bytes that are there; false at the end.
bool readAvailable(int fd,
                   const std::function<void(const char *, size_t)> &take);

} // namespace kiln::isolated

#endif // KILN_LIB_ISOLATED_SERVERPROCESS_H

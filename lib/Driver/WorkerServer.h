//===- WorkerServer.h - Compiling processes without their start -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process with threads cannot fork a child that compiles, and to start a
// program that does takes as long as to compile something small: most of it is
// linking the compiler. So the program stays, without threads, and forks a
// child for each compilation, the next one ahead where there is time. It is no
// child of its host, whose waits for any child it does not disturb, and ends
// with it, or after a minute in which no request came.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_WORKERSERVER_H
#define KILN_LIB_DRIVER_WORKERSERVER_H

#include "kiln/System/Process.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>
#include <vector>

namespace kiln::driver {

/// A compiling process that the server has forked.
struct ServedWorker {
  pid_t pid = -1;
  int ending = -1; ///< how it ends comes from there, as waitpid says it

  ServedWorker() = default;
  ServedWorker(const ServedWorker &) = delete;
  ~ServedWorker();
  /// Waits for the end.
  runtime::Ending awaitEnd() const;
};

/// Lets the server fork a process that gets these arguments and descriptors,
/// besides the standard ones of this process. Starts the server before where
/// there is none, or where this process has changed since: its environment,
/// folder, limits, processors. False where there is no server to be had.
bool askServer(const std::string &program, const std::vector<std::string> &args,
               const std::vector<int> &fds, ServedWorker &worker);

/// The server, whose requests come through the socket `requests`. `compile`
/// runs in the forked process. When there is nothing to do, `warm` runs once in
/// the server, and `prepareSpare` in a process that is forked ahead.
[[noreturn]] void
serve(int requests,
      llvm::function_ref<int(const std::vector<std::string> &args,
                             const std::vector<int> &fds)> compile,
      llvm::function_ref<void()> warm, llvm::function_ref<void()> prepareSpare);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_WORKERSERVER_H

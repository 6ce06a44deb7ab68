//===- Worker.h - Compiling in this process or in one apart -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child made by fork, or the program kiln-compile-worker, gets options and
// input and hands back records through a pipe and the package in a file in
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_WORKER_H
#define KILN_LIB_DRIVER_WORKER_H

#include "kiln/Driver/Driver.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kiln::driver {

/// One compilation to a package as the C interface asks for it.
struct Request {
  std::string name; ///< of the input, for diagnostics
  std::vector<std::string> args;
  CompileOptions options; ///< what `args` parse to
  /// The input: in memory, or an open regular file.
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  int file = -1;
  DiagnosticSink diag;
  /// Gets the report as JSON at the end; may be empty.
  std::function<void(llvm::StringRef)> report;
  double seconds = 0; ///< time limit, 0: none

  /// Reads `file` unless the input is in memory. On failure says why.
  bool load();
};

/// Loads plug-ins as `initialize` does, but does not wait for the programs of
/// targets that `named` has: the compilation checks them.
bool beginLoading(const std::vector<std::string> &named,
                  const DiagnosticSink &diag = {});

/// Compiles in this process.
int compileHere(Request &request, std::string &package);

/// Compiles in a process apart, so that no input can hurt this one. `take` gets
/// a descriptor of the finished package and its size.
int compileApart(Request &request, const std::function<int(int, size_t)> &take);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_WORKER_H

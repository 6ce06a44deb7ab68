//===- StartAhead.h - Programs that start before they are asked -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that the command line names starts while this process still loads
// plug-ins and reads its input. The first question to the program takes it
// over.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_ISOLATED_STARTAHEAD_H
#define KILN_LIB_ISOLATED_STARTAHEAD_H

#include "kiln/Isolated/Hello.h"
#include "kiln/Isolated/Program.h"
#include <memory>
#include <optional>
#include <string>

namespace kiln::isolated {

/// Returns what a program said to `hello` before, if the cache has it and the
/// program's files are what they were.
std::optional<Hello> findKeptHello(llvm::StringRef path,
                                   llvm::StringRef target);
/// Keeps the answer to `hello`, which `said` was read from.
void keepHello(llvm::StringRef path, const Hello &said,
               llvm::json::Object answer);

/// Starts a program, unless the cache has its `hello`: the cache may have the
/// rest, too. Does nothing where the program cannot be started.
void startAhead(const std::string &path);
/// Returns the program if it was started ahead in this process; null else.
std::unique_ptr<Program> takeStartedAhead(const std::string &path);
/// Kills the programs that were not asked for.
void dropStartedAhead();

} // namespace kiln::isolated

#endif // KILN_LIB_ISOLATED_STARTAHEAD_H

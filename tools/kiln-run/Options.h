// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of kiln-run.
#ifndef KILN_TOOLS_KILN_RUN_OPTIONS_H
#define KILN_TOOLS_KILN_RUN_OPTIONS_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln::run {

/// A number, and the file that belongs to it.
using NumberedFile = std::pair<size_t, std::string>;

struct Options {
  std::string input;
  std::string codeObject; ///< in place of the input
  std::vector<std::string> targets;
  std::vector<std::string> loadTargets;
  std::vector<std::string> compileArgs; ///< passed on to the compiler
  bool quiet = false;                   ///< no progress bar
  std::string entry;
  std::vector<std::string> args; ///< as given; Inputs.cpp reads them
  std::vector<int64_t> dims;     ///< those without a name, in order
  std::vector<std::pair<std::string, int64_t>> namedDims;
  std::optional<std::array<int64_t, 3>> grid;
  std::optional<std::array<int64_t, 3>> block; ///< threads, of a code object
  int64_t sharedBytes = 0; ///< dynamic shared memory, of a code object
  /// "K:FILE" or "NAME:FILE"; Names.cpp tells which.
  std::vector<std::string> results;
  std::vector<std::string> saves;
  std::vector<std::string> expects;
  bool hurt = false; ///< invented arguments have values that hurt
  bool noFallback = false;
  bool check = false;
  std::vector<std::string> requiredKeys; ///< files of public keys
  bool inspect = false;
  bool verbose = false;
  bool profile = false;
  bool bench = false;
  int benchCount = 0; ///< 0: as many as a second allows
  int warmUps = 2;    ///< calls before those that count
  std::string benchJson;
  std::string against; ///< a package or a SPEC to measure in turns with
  std::string trace;   ///< a file for the launches of the call
  bool noCeiling = false;
  std::string tune;       ///< file for the block sizes that are found best
  double timeLimit = 0;   ///< seconds that a call may take; 0: any
  double timeout = 600;   ///< seconds without progress; 0: any
  int ranks = 0;          ///< how many run the program together; 0: one alone
  int rank = -1;          ///< the one that this process is; -1: it starts all
  std::string rendezvous; ///< where they meet
  std::optional<double> rtol;
  std::optional<double> atol;
};

/// Nothing: go on; else the exit status.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace kiln::run

#endif

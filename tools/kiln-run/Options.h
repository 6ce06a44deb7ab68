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

/// "K:FILE.npy".
using NumberedFile = std::pair<size_t, std::string>;

struct Options {
  std::string input;
  std::vector<std::string> targets;
  std::vector<std::string> loadTargets;
  std::vector<std::string> compileArgs; ///< passed on to the compiler
  std::string entry;
  std::vector<std::string> args;
  std::vector<int64_t> dims;
  std::optional<std::array<int64_t, 3>> grid;
  std::vector<NumberedFile> results;
  std::vector<NumberedFile> saves;
  std::vector<NumberedFile> expects;
  bool check = false;
  std::vector<std::string> requiredKeys; ///< files of public keys
  bool inspect = false;
  bool verbose = false;
  bool profile = false;
  bool bench = false;
  int benchCount = 0; ///< 0: as many as a second allows
  bool noCeiling = false;
  std::optional<double> rtol;
  std::optional<double> atol;
};

/// Nothing: go on; else the exit status.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace kiln::run

#endif

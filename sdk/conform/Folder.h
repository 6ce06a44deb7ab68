// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder that cases are prepared in.
#ifndef KILN_SDK_CONFORM_FOLDER_H
#define KILN_SDK_CONFORM_FOLDER_H

#include "Report.h"
#include <optional>

namespace kiln::conform {

/// What `index.json` of a folder says.
struct Index {
  std::string target;
  uint64_t seed = 1;
  unsigned seeds = 1;
  double prepareSeconds = 0;
  std::vector<std::string> modules;
  std::vector<Exemption> exempt;
  std::vector<std::string> uncovered;
  std::vector<Declaration> declarations;
  std::vector<std::pair<std::string, std::string>> broken;
};

runtime::Expected<Index> readIndex(const std::string &folder);
runtime::Error writeIndex(const std::string &folder, const Index &index);

runtime::Expected<std::string> makeTemporaryFolder();
runtime::Expected<std::string> makeFolder(const std::string &path);
void removeFolder(const std::string &path);
/// Bytes of the files in it.
uint64_t folderBytes(const std::string &path);

/// "conform PATTERN: REASON", as a description's deviations and a target's file
/// have it; nothing where the text is another kind of deviation.
std::optional<Declaration> parseDeclaration(const std::string &text);
/// Reads a file with a declaration on each line; `#` begins a comment.
runtime::Error readDeclarations(const std::string &path,
                                std::vector<Declaration> &declarations);

} // namespace kiln::conform

#endif

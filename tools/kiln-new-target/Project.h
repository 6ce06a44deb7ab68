// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A project for a target outside of Kiln's tree, from the installed template.
#ifndef KILN_TOOLS_KILN_NEW_TARGET_PROJECT_H
#define KILN_TOOLS_KILN_NEW_TARGET_PROJECT_H

#include "kiln/System/Error.h"
#include <string>
#include <vector>

namespace kiln::new_target {

/// The installed folder of the template's `part`, beside the program that runs.
std::string templateFolder(const std::string &part);

/// The folder of the installation that the program runs from, as
/// CMAKE_PREFIX_PATH takes it; empty where no CMake package lies there, as in a
/// build tree.
std::string installedPrefix();

/// Writes the project NAME into `folder`, which must not exist; all of it or
/// nothing. Its files are those of all `parts`, which are "target", or
/// "isolated" with "isolated-python" or "isolated-cpp". Returns its files,
/// sorted. In the template's text and in the names of its files @name@ stands
/// for the name, @Name@ for one that begins with a capital letter, @NAME@ for
/// one in capital letters.
runtime::Expected<std::vector<std::string>>
writeProject(const std::vector<std::string> &parts, const std::string &name,
             const std::string &folder);

} // namespace kiln::new_target

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments, results and dimensions by name.
#ifndef KILN_TOOLS_KILN_RUN_NAMES_H
#define KILN_TOOLS_KILN_RUN_NAMES_H

#include "Options.h"
#include "kiln/Runtime/Session.h"

namespace kiln::run {

/// A mistake in the command line is told from an input that cannot be used.
struct InputError {
  std::string message;
  int status = 1;
};

/// The exit status of wrong usage.
constexpr int kWrongUsage = 2;

std::vector<std::string> argumentNames(const runtime::Function &function);
std::vector<std::string> resultNames(const runtime::Function &function);

/// The longest of `names` that `text` begins with, before `separator`. `rest`
/// becomes what is behind it.
std::optional<size_t> takeName(const std::string &text, char separator,
                               const std::vector<std::string> &names,
                               std::string &rest);

/// "K:FILE" and "NAME:FILE" of results (`what` is "result") or arguments.
std::optional<InputError> resolveFiles(const std::vector<std::string> &texts,
                                       const char *what,
                                       const runtime::Function &function,
                                       std::vector<NumberedFile> &files);

/// "a, b, c", or "none".
std::string listNames(const std::vector<std::string> &names);

/// "argument 2 (weights)", or "result 0": its number, and a name that says more
/// than the number.
std::string labelOf(const char *what, size_t index, const std::string &name);

} // namespace kiln::run

#endif

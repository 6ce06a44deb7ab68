// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printing packages.
#ifndef KILN_TOOLS_KILN_RUN_INSPECT_H
#define KILN_TOOLS_KILN_RUN_INSPECT_H

#include "Names.h"

namespace kiln::run {

/// Prints what the package holds, and the memory that each function needs where
/// its sizes are known. A mistake in --dim ends it.
std::optional<InputError> inspect(const runtime::Package &package,
                                  const Options &options);

/// "arena 1.0 MiB for tensors of 3.5 MiB (29%), …".
std::string memoryText(const runtime::CallReport &report);

} // namespace kiln::run

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several ranks of one program.
#ifndef KILN_TOOLS_KILN_RUN_RANKS_H
#define KILN_TOOLS_KILN_RUN_RANKS_H

#include "Options.h"

namespace kiln::run {

/// Starts this tool again for each rank, with `{rank}` in its arguments
/// replaced by the number, and hands on what they print behind "[number] ".
/// The exit status is the first that is not 0.
int runRanks(int argc, char **argv, const Options &options);

/// Makes this process the rank that --rank says, for the runtime to see.
/// The message of a mistake.
std::string becomeRank(const Options &options);

} // namespace kiln::run

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block sizes by measurement.
#ifndef KILN_TOOLS_KILN_RUN_TUNE_H
#define KILN_TOOLS_KILN_RUN_TUNE_H

#include "Options.h"

namespace kiln::run {

/// Compiles the program once for each candidate of the target's tiling model,
/// or takes the targets of a package for candidates (kiln-compile
/// --candidates=N); calls it, and adds the fastest block sizes of each kernel to the file of
/// --tune (docs/tiling.md). A candidate whose results differ from those of the
/// first is an error. The exit status.
int tune(const Options &options);

} // namespace kiln::run

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the input to a package.
#ifndef KILN_TOOLS_KILN_RUN_LOAD_H
#define KILN_TOOLS_KILN_RUN_LOAD_H

#include "Options.h"
#include "kiln/Runtime/Package.h"
#include <memory>

namespace kiln::run {

using PackagePtr = std::shared_ptr<const runtime::Package>;

/// A package, or the exit status of what failed; diagnostics are printed.
struct Loaded {
  PackagePtr package;
  int status = 0;
  double seconds = 0; ///< reading or compiling
  bool wasCompiled = false;
};

/// Reads the input when it is a package, else compiles it for the targets.
Loaded loadInput(const Options &options);

/// The program again, for target `reference`.
Loaded loadReference(const Options &options, const PackagePtr &package);

/// The kernels that the program has for target `spec`, for `reference`, each an
/// entry.
Loaded loadReferenceKernels(const Options &options, const PackagePtr &package,
                            const std::string &spec);

/// Prints "kiln-run: error: message".
void printError(const std::string &message);

} // namespace kiln::run

#endif

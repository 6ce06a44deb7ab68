//===- LaunchCosts.h - What launches compute and move -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The FLOPs and bytes of the launches of a function, as formulas over the sizes
// and scalars of its arguments: what a host program computes for reports, read
// back from its registers.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_LAUNCHCOSTS_H
#define KILN_LIB_DRIVER_LAUNCHCOSTS_H

#include "kiln/Runtime/Package.h"

namespace kiln::driver {

/// All launches of one kernel in one function.
struct LaunchCost {
  std::string function, kernel;
  std::string device;
  unsigned launches = 0;
  /// `128*size(a, 0)*size(b, 1)`, summed over the launches; empty where nobody
  /// told it or it depends on data.
  std::string flops, bytes;
  bool isRepeated = false;  ///< in a loop: of one round
  bool isSometimes = false; ///< in a branch, or one of several variants
};

/// Those of a package's first target, in the order of their first launches.
std::vector<LaunchCost> launchCosts(const runtime::Package &package);

/// "4096 FLOP, 256*size(a, 0) bytes, each round of a loop".
std::string costText(const LaunchCost &cost);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_LAUNCHCOSTS_H

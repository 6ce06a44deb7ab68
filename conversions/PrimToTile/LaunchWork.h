//===- LaunchWork.h - What the launches of a group compute ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds what the operations of a group count (WorkOpInterface) to what its
// schedule says of products.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSIONS_PRIMTOTILE_LAUNCHWORK_H
#define KILN_CONVERSIONS_PRIMTOTILE_LAUNCHWORK_H

#include "kiln/Schedule/HostProgramBuilder.h"

namespace kiln {

/// The work of one group, counted before a schedule takes it.
class LaunchWork {
public:
  LaunchWork(schedule::HostProgramBuilder &host, mlir::Operation *group);

  /// Gives it to the launch of `kernel`, or to the first of those that the
  /// schedule has made since.
  void addTo(llvm::StringRef kernel);

private:
  schedule::HostProgramBuilder &host;
  mlir::Value work;                ///< null for nothing
  mlir::Operation *last = nullptr; ///< in front of what the schedule makes
};

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_LAUNCHWORK_H

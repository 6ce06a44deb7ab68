// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch has beyond arguments and grid, as the driver gets it.
#ifndef KILN_LIB_RUNTIME_LAUNCHCONTRACT_H
#define KILN_LIB_RUNTIME_LAUNCHCONTRACT_H

#include "kiln-c/Device.h"
#include "kiln/Runtime/Program.h"

namespace kiln::runtime {

/// The tagged lists of a launch, or of the description of a kernel.
struct LaunchContract {
  std::vector<KilnLaunchAttribute> attributes;
  std::vector<KilnArgumentEncoding> encodings;
  std::vector<std::vector<int64_t>> words; ///< of the encodings

  LaunchContract() = default;
  LaunchContract(const LaunchContract &) = delete;
  LaunchContract(LaunchContract &&) = default;
  LaunchContract &operator=(LaunchContract &&) = default;

  /// What is known of a kernel before it is launched.
  static LaunchContract describe(const KernelInfo &kernel);
  /// What a launch has; those of `own` replace the kernel's.
  static Expected<LaunchContract>
  evaluate(const KernelInfo &kernel, const std::vector<LaunchAttribute> &own,
           const Expression::Leaf &leaf);
};

} // namespace kiln::runtime

#endif

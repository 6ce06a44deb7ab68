// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what launches have beyond arguments and grid.
#ifndef KILN_LIB_RUNTIME_VERIFYLAUNCH_H
#define KILN_LIB_RUNTIME_VERIFYLAUNCH_H

#include "kiln/Runtime/Program.h"

namespace kiln::runtime {

/// Tags, numbers of values, and that these ask for what the kernel has.
Error verifyAttributes(const std::vector<LaunchAttribute> &attributes,
                       const KernelInfo &kernel);
/// Attributes, recipes and workspace of a kernel.
Error verifyContract(const KernelInfo &kernel);

} // namespace kiln::runtime

#endif

//===- KernelSpecs.h - Kernels for another target than the module's -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_KILN_KERNELSPECS_H
#define KILN_DIALECT_KILN_KERNELSPECS_H

#include "llvm/ADT/StringRef.h"

namespace kiln::target {

/// On a module that several targets share: the target specifications of groups
/// of `prim` whose kernels another target than the module's is to take. A
/// dictionary from the name that the kernel of a group will have to the
/// specification (string). Kernels have `kiln.spec` and `kiln.target`
/// themselves.
inline constexpr llvm::StringLiteral kKernelSpecsAttr = "kiln.kernel_specs";

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_KERNELSPECS_H

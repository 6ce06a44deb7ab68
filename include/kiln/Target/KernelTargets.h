//===- KernelTargets.h - Kernels for other targets than the module's -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_KERNELTARGETS_H
#define KILN_TARGET_KERNELTARGETS_H

#include "kiln/Target/TargetRegistry.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::target {

/// Binds kernels of a module to a target of their own: their blocks are chosen
/// for it, and it is the first that gets them. Kernels of the module get
/// `kiln.spec` and `kiln.target`. Other names are those that kernels of groups
/// will have; `kiln.spec` of their function lists them with the specification.
void setKernelTarget(mlir::ModuleOp module, llvm::ArrayRef<std::string> kernels,
                     const BoundTarget &target);

} // namespace kiln::target

#endif // KILN_TARGET_KERNELTARGETS_H

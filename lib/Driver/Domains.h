//===- Domains.h - Which inputs a program can use ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_DOMAINS_H
#define KILN_LIB_DRIVER_DOMAINS_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::driver {

/// Follows what divides, has a root or a logarithm taken, shifts or selects
/// rows back to the arguments of prim functions and tile kernels, and leaves
/// there what it demands of them: `domain` and `range` of `kiln.argument`. What
/// invents inputs keeps to it.
void inferDomains(mlir::ModuleOp module);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_DOMAINS_H

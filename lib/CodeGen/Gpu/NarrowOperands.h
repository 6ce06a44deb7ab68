//===- NarrowOperands.h - Products of numbers that were narrow --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_NARROWOPERANDS_H
#define KILN_LIB_GPU_NARROWOPERANDS_H

#include "mlir/IR/Operation.h"

namespace kiln::simt {

/// Whether the kernel's mode lets its operations read subnormal numbers as
/// zero.
bool mayFlushSubnormals(mlir::Operation *op);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_NARROWOPERANDS_H

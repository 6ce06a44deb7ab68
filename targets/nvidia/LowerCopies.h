//===- LowerCopies.h - cp.async ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_LOWERCOPIES_H
#define KILN_TARGETS_NVIDIA_LOWERCOPIES_H

#include "mlir/IR/Builders.h"

namespace kiln::nvidia {

/// Puts PTX in place of a copy that goes on by itself, or of what ends or awaits
/// a group of them. The operation stays.
void lowerCopies(mlir::Operation *op, mlir::OpBuilder &b);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_LOWERCOPIES_H

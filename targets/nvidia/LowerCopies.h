//===- LowerCopies.h - cp.async ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_LOWERCOPIES_H
#define KILN_TARGETS_NVIDIA_LOWERCOPIES_H

#include "mlir/IR/Builders.h"

namespace kiln::nvidia {

/// Whether the copies of a function are limited by so many comparisons with
/// constants that their results would fill the registers.
bool hasManyLimits(mlir::Operation *function);

/// Puts PTX in place of an asynchronous copy, or of what ends or awaits a group
/// of them. The operation stays. With `comparesAnew` what limits
/// a copy is compared there, instead of being kept from wherever it was.
void lowerCopies(mlir::Operation *op, mlir::OpBuilder &b, bool comparesAnew);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_LOWERCOPIES_H

//===- AtomicWords.h - Floats of 16 bits added in words ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_ATOMICWORDS_H
#define KILN_TARGETS_NVIDIA_ATOMICWORDS_H

#include "mlir/IR/Builders.h"

namespace kiln::nvidia {

/// Replaces the atomic addition of neighbours of 16 bits, whose old values
/// nothing uses, by instructions that add words. Returns false, changing
/// nothing, for any other operation.
bool lowerAtomicWords(mlir::Operation *op, mlir::OpBuilder &b);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_ATOMICWORDS_H

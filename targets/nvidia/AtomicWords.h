//===- AtomicWords.h - Neighbouring floats added together -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_ATOMICWORDS_H
#define KILN_TARGETS_NVIDIA_ATOMICWORDS_H

#include "mlir/IR/Builders.h"

namespace kiln::nvidia {

/// Replaces the atomic addition of neighbours of 16 bits, or of 32 bits in
/// global memory, whose old values nothing uses, by instructions that add up to
/// four words. Returns false, changing nothing, for any other operation and
/// where the chip has no such instruction.
bool lowerAtomicWords(mlir::Operation *op, mlir::OpBuilder &b);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_ATOMICWORDS_H

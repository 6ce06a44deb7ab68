//===- Siblings.h - Groups of one shape that read the same ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_SIBLINGS_H
#define KILN_CONVERSIONS_PRIMTOTILE_SIBLINGS_H

#include "Wrap.h"

namespace kiln {

/// Makes one group with several results of elementwise groups of a block whose
/// results have one shape and that read a tensor in common.
void mergeSiblings(mlir::Block &block);

/// Makes one group of an elementwise group of a block and one of the same shape
/// that alone reads its results: what they compute stays in registers. Each
/// round of a generator of random bits gives two values that the next one
/// reads.
void mergeChains(mlir::Block &block);

/// Makes one group of elementwise groups of a block whose results have one
/// shape of few elements, whatever they read: each launch takes longer than
/// they do.
void mergeSmall(mlir::Block &block);

/// Makes one group with two results of two sums over the same dimensions, of a
/// block, that read a tensor in common.
void mergeSumPairs(mlir::Block &block);

/// Makes a group for each result of a group with several, in its place, which
/// is retired; returns the first. Groups read the results that theirs is
/// computed from.
mlir::Operation *splitSiblings(prim::FusionOp fusion, Retired &retired);

/// Bits of the widest elements that a group computes. A machine that lacks the
/// wider ones of two groups computes the other one alone.
unsigned widestOf(prim::FusionOp fusion);

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_SIBLINGS_H

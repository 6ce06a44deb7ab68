//===- SplitSquares.h - What follows from sums of squares -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_SPLITSQUARES_H
#define KILN_CONVERSIONS_PRIMTOTILE_SPLITSQUARES_H

#include "Wrap.h"

namespace kiln {

/// Makes an elementwise group of what follows from the sum of squared distances
/// in a group of a block, if its result has few elements and is read by another
/// elementwise group of its shape.
void splitSquares(mlir::Block &block);

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_SPLITSQUARES_H

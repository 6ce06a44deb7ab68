//===- AlignSizes.h - Variants of kernels for sizes that divide -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_PROGRAM_ALIGNSIZES_H
#define KILN_TRANSFORMS_PROGRAM_ALIGNSIZES_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::program {

/// For private kernels that read or write tiles through views whose sizes only
/// a launch knows: a variant `NAME_aligned` in which rows of these views begin
/// and end at multiples of `bytes` (a power of two) behind the view's first
/// element, as the facts `size_div` and `stride_div` say. Launches choose it by
/// a guard on their sizes, in front of the kernel as it was; where the sizes
/// are known to divide the variant takes the kernel's place, and where they are
/// known not to it is left out. Variants that have a guard already get the
/// facts themselves, and the condition besides.
void alignSizes(mlir::ModuleOp module, int64_t bytes);

} // namespace kiln::program

#endif // KILN_TRANSFORMS_PROGRAM_ALIGNSIZES_H

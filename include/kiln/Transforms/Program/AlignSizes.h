//===- AlignSizes.h - Variants of kernels for sizes that divide -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_PROGRAM_ALIGNSIZES_H
#define KILN_TRANSFORMS_PROGRAM_ALIGNSIZES_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::program {

/// Adds a variant for divisible sizes to each private kernel that reads or
/// writes tiles through views whose sizes only a launch knows. `bytesOf`
/// returns the alignment that a kernel has use for, in bytes: a power of two,
/// or 1 for no variant. In the variant, `NAME_aligned`, each row of these views
/// begins and ends at a multiple of that alignment from the view's first
/// element. The facts `size_div` and `stride_div` of the views state this.
///
/// - A launch tries the variant first, by a guard on its sizes.
/// - Sizes that are known to be multiples: the variant replaces the kernel.
/// - Sizes that are known not to be multiples: there is no variant.
/// - Variants that have a guard already get the facts, and the condition is
///   added to their guard.
void alignSizes(mlir::ModuleOp module,
                llvm::function_ref<int64_t(mlir::Operation *)> bytesOf);

} // namespace kiln::program

#endif // KILN_TRANSFORMS_PROGRAM_ALIGNSIZES_H

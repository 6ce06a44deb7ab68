//===- AlignSizes.h - Variants of kernels for sizes that divide -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_PROGRAM_ALIGNSIZES_H
#define KILN_TRANSFORMS_PROGRAM_ALIGNSIZES_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::program {

/// Adds a variant for divisible sizes to each private kernel that reads or
/// writes tiles through views whose sizes only a launch knows. In the variant,
/// `NAME_aligned`, rows of these views begin and end at multiples of the
/// kernel's bytes (a power of two; 1: no variant) from the view's first
/// element, as the facts `size_div` and `stride_div` state.
///
/// - A launch tries the variant first, by a guard on its sizes.
/// - If the sizes are known to be multiples, the variant replaces the kernel.
/// If
///   they are known not to be, there is no variant.
/// - Variants that have a guard already get the facts, and the condition is
///   added to their guard.
void alignSizes(mlir::ModuleOp module,
                llvm::function_ref<int64_t(mlir::Operation *)> bytesOf);

} // namespace kiln::program

#endif // KILN_TRANSFORMS_PROGRAM_ALIGNSIZES_H

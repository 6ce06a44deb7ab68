//===- AlignEntries.h - Variants of public kernels ---------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_PROGRAM_ALIGNENTRIES_H
#define KILN_TRANSFORMS_PROGRAM_ALIGNENTRIES_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::program {

/// For public kernels, which are launched with whatever their callers have: a
/// private variant `NAME_aligned` (`variants`) in which the views whose
/// rows the kernel moves begin at multiples of `bytes` (a power of two), and
/// the rows of these views, too: the facts `align`, `size_div` and
/// `stride_div`. Kernels that are told so much, that move no rows, or that
/// have variants stay as they are.
void alignEntries(mlir::ModuleOp module, int64_t bytes);

} // namespace kiln::program

#endif // KILN_TRANSFORMS_PROGRAM_ALIGNENTRIES_H

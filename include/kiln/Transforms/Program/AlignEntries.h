//===- AlignEntries.h - Variants of public kernels ---------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_PROGRAM_ALIGNENTRIES_H
#define KILN_TRANSFORMS_PROGRAM_ALIGNENTRIES_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::program {

/// Adds a variant for aligned memory to each public kernel, whose callers may
/// pass any views. The variant is a private kernel `NAME_aligned`, listed in
/// `variants`. In it, the views whose rows the kernel moves, and the rows
/// themselves, begin at multiples of the kernel's bytes (a power of two; 1: no
/// variant), as the facts `align`, `size_div` and `stride_div` state. Kernels
/// that have these facts, that move no rows, or that have variants stay as they
/// are.
void alignEntries(mlir::ModuleOp module,
                  llvm::function_ref<int64_t(mlir::Operation *)> bytesOf);

} // namespace kiln::program

#endif // KILN_TRANSFORMS_PROGRAM_ALIGNENTRIES_H

//===- AlignViews.h - Facts about where views begin -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_PROGRAM_ALIGNVIEWS_H
#define KILN_TRANSFORMS_PROGRAM_ALIGNVIEWS_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::program {

/// Gives the view parameters of kernels that all launches align to `bytes` (a
/// power of two, at most 64) the fact `align`: buffers that the
/// memory plan makes, whole or from multiples of it on, and arguments of
/// functions, which get it, too: the runtime copies what is less aligned.
void alignViews(mlir::ModuleOp module, int64_t bytes);

/// Gives the kernels whose launches all have grids of known sizes the attribute
/// `most_instances`, so that what lies inside of views for each of them
/// needs no masks.
void boundGrids(mlir::ModuleOp module);

} // namespace kiln::program

#endif // KILN_TRANSFORMS_PROGRAM_ALIGNVIEWS_H

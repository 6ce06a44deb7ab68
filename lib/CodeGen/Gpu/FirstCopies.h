//===- FirstCopies.h - What one thread found goes to others -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_FIRSTCOPIES_H
#define KILN_LIB_GPU_FIRSTCOPIES_H

#include "ScratchNeeds.h"
#include "ThreadWriter.h"

namespace kiln::simt {
/// The scalar of the thread for which `first` holds, in all threads.
mlir::Value shareFirstCopy(ThreadWriter &w, mlir::Value first,
                           mlir::Value value);
/// Gives the elements of a tile, which threads for which `first` holds have in
/// `regs`, to the threads that have copies of them.
void shareFirstCopies(ThreadWriter &w, mlir::Value first, LayoutAttr layout,
                      llvm::ArrayRef<int64_t> shape, Regs &regs);
} // namespace kiln::simt

#endif // KILN_LIB_GPU_FIRSTCOPIES_H

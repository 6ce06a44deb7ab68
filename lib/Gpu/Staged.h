//===- Staged.h - Storage of the block, rings and fragments -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_STAGED_H
#define KILN_LIB_GPU_STAGED_H

#include "KernelWalk.h"

namespace kiln::simt {

/// What the threads hold of storage by a layout: matrices of 8 rows of 16 bytes
/// where the layout is one of fragments, else elements.
Regs readStorage(KernelWalk &w, const StoragePlace &place, LayoutAttr layout,
                 mlir::Type element);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_STAGED_H

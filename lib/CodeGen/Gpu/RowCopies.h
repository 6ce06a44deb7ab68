//===- RowCopies.h - Copies that are written side by side -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_ROWCOPIES_H
#define KILN_LIB_GPU_ROWCOPIES_H

#include "ThreadWriter.h"

namespace kiln::simt {

/// The bytes that a copy moves for each lane, where the copies of a warp write
/// bytes that follow each other in the order of the lanes: the description's
/// `extra` has `row_copies`. 0: each copy has a target of its own.
int64_t rowCopyBytesOf(target::TargetAttr description);

/// The layout by which lanes have `bytes` each that follow each other in
/// storage, then warps. There are as many for each thread.
LayoutAttr rowLayout(const StoragePlace &place, int64_t bytes, int64_t lanes,
                     int64_t warps);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_ROWCOPIES_H

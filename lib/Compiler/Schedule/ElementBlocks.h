//===- ElementBlocks.h - Kernels over blocks of elements --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What schedules share whose instances each compute a block of elements.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_ELEMENTBLOCKS_H
#define KILN_LIB_SCHEDULE_ELEMENTBLOCKS_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Returns the roles of dimensions in the choice of blocks: the last one counts
/// columns, the others rows.
llvm::SmallVector<std::pair<int, target::TilingRole>>
elementRoles(llvm::ArrayRef<int> dims);

/// Returns the dimensions of tiles: those of `dims` whose blocks have several
/// elements. Without any, tiles have one element along a new dimension.
Space elementSpace(KernelBuilder &kernel, llvm::ArrayRef<int> dims);

/// Gives every block of `dims` an instance, with the last dimension fastest.
void placeInGrid(KernelBuilder &kernel, llvm::ArrayRef<int> dims);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ELEMENTBLOCKS_H

//===- BoxConditions.h - Launches whose boxes a copy unit copies -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TRANSFORMS_TILE_BOXCONDITIONS_H
#define KILN_LIB_TRANSFORMS_TILE_BOXCONDITIONS_H

#include "LaunchBounds.h"
#include "kiln/Dialect/Tile/KernelOps.h"

namespace kiln::tile {

/// Notes that launches keep the numbers from wrapping around, or from being
/// less than 0, that move such a box.
void boundBoxes(KernelOp kernel, LaunchBounds &launch);

/// Adds to the condition of a kernel what a copy unit needs of the views whose
/// boxes are operands of matmuls in loops, if the target has such a unit.
void noteBoxes(KernelOp kernel);

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_BOXCONDITIONS_H

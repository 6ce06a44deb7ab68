//===- SlotBarriers.h - Where slots of ring buffers are released -*- C++ -*-==//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_SLOTBARRIERS_H
#define KILN_LIB_GPU_SLOTBARRIERS_H

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Target/TargetRegistry.h"

namespace kiln::simt {

/// Gives places to the barriers of rings that simt-choose-bulk-copies has
/// chosen, behind `bytes` of shared memory, makes them where the kernel begins,
/// and moves each release behind the wait for the products that read the slot.
/// Waits for products stand in the kernel already. `bytes` becomes the bytes
/// with the barriers. Fails with an error where a slot would be filled before
/// the warps that empty it can have done so.
mlir::LogicalResult placeSlotBarriers(tile::KernelOp kernel,
                                      target::TargetAttr description,
                                      int64_t warps, int64_t &bytes);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SLOTBARRIERS_H

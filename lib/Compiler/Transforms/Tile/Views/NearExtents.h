//===- NearExtents.h - Launches whose views are small -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the hardware checks accesses against an extent, an offset has few bits,
// and the extent of a view must be known to fit in them. Strides that only the
// launch knows leave it unknown. So the variant of a kernel with views is for
// launches whose strides are small enough.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TRANSFORMS_TILE_NEAREXTENTS_H
#define KILN_LIB_TRANSFORMS_TILE_NEAREXTENTS_H

#include "LaunchBounds.h"

namespace kiln::tile {

/// The most bytes of a view that accesses of the target reach with an offset:
/// `most_extent` of its description; 0 where it names none.
int64_t mostExtent(mlir::Operation *op);

/// Notes conditions by which a tile's elements lie within `most` bytes from
/// the first one on. Notes nothing where no launch is known to meet them.
void keepNear(LaunchBounds &launch, int64_t most, mlir::RankedTensorType tile,
              mlir::Type element, llvm::ArrayRef<mlir::OpFoldResult> strides);

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_NEAREXTENTS_H

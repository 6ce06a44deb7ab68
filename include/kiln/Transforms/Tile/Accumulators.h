//===- Accumulators.h - What products are summed in -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_TILE_ACCUMULATORS_H
#define KILN_TRANSFORMS_TILE_ACCUMULATORS_H

#include "llvm/ADT/StringRef.h"

namespace kiln::tile {

/// Attribute of a product whose machine has an instruction with its narrow
/// accumulator, which `tile-widen-accumulators` leaves.
inline constexpr llvm::StringLiteral kKeepsAccumulatorAttr =
    "tile.keeps_accumulator";

} // namespace kiln::tile

#endif // KILN_TRANSFORMS_TILE_ACCUMULATORS_H

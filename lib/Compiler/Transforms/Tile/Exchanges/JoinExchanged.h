//===- JoinExchanged.h - Few dimensions around exchanges --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TRANSFORMS_TILE_JOINEXCHANGED_H
#define KILN_LIB_TRANSFORMS_TILE_JOINEXCHANGED_H

#include "kiln/Dialect/Tile/TileDialect.h"

namespace kiln::tile {

/// Moves exchanges, and operations on elements between them, from shapes with a
/// dimension for each bit to those that the tiles were reshaped from.
void joinExchanged(KernelOp kernel);

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_JOINEXCHANGED_H

//===- Passes.cpp - Registration of the passes on tile programs -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Transforms/Tile/Passes.h"

namespace kiln::tile {
#define GEN_PASS_REGISTRATION
#include "kiln/Transforms/Tile/Passes.h.inc"

void registerTilePasses() {
  registerVerifyTileForm();
  registerTileRaise();
  registerTileRetile();
  registerTileContract();
  registerTileEraseUnused();
  registerTileRecoverViews();
  registerTileVaryViews();
  registerTileFindExchanges();
  registerTileLowerFloat8();
  registerTileLowerPointers();
  registerTileExpandWideProducts();
  registerTileExpandConversions();
  registerTileWidenAccumulators();
  registerTileExpandSincos();
  registerTileExpandReductions();
  registerTileExpandScaledDots();
  registerTileExpandScaling();
  registerTileCheckAssumptions();
  registerTilePrintAxes();
}
} // namespace kiln::tile

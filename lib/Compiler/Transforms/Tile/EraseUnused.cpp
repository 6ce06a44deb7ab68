//===- EraseUnused.cpp - Operations without users and effects -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEERASEUNUSED
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;

namespace {
struct TileEraseUnused
    : kiln::tile::impl::TileEraseUnusedBase<TileEraseUnused> {
  void runOnOperation() override {
    SmallVector<Operation *> operations;
    getOperation().getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { operations.push_back(op); });
    // Users come before what they use, and a body before its loop.
    for (Operation *op : llvm::reverse(operations))
      if (isOpTriviallyDead(op))
        op->erase();
  }
};
} // namespace

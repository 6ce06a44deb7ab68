//===- CheckAssumptions.cpp - Assertions of assumptions -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILECHECKASSUMPTIONS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

namespace {
struct TileCheckAssumptions
    : tile::impl::TileCheckAssumptionsBase<TileCheckAssumptions> {
  void runOnOperation() override {
    getOperation().walk([](tile::AssumeOp op) {
      OpBuilder builder(op);
      tile::AssertOp::create(builder, op.getLoc(), op.getCondition(),
                             "the assumption does not hold");
      op.erase();
    });
  }
};
} // namespace

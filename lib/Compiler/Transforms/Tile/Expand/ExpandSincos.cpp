//===- ExpandSincos.cpp - Sine and cosine apart ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDSINCOS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

namespace {
struct ExpandSincos : tile::impl::TileExpandSincosBase<ExpandSincos> {
  void runOnOperation() override {
    getOperation().walk([](math::SincosOp op) {
      OpBuilder b(op);
      auto give = [&](Value result, auto make) {
        if (!result.use_empty())
          result.replaceAllUsesWith(make());
      };
      Location loc = op.getLoc();
      Value x = op.getOperand();
      auto flags = op.getFastmathAttr();
      give(op.getSin(), [&] { return math::SinOp::create(b, loc, x, flags); });
      give(op.getCos(), [&] { return math::CosOp::create(b, loc, x, flags); });
      op.erase();
    });
  }
};
} // namespace

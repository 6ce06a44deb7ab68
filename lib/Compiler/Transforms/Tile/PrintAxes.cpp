// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of neighbours in tiles, as remarks.
#include "kiln/Analysis/AxisAnalysis.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Pass/Pass.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEPRINTAXES
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

namespace {
struct TilePrintAxes : tile::impl::TilePrintAxesBase<TilePrintAxes> {
  void runOnOperation() override {
    index::Analysis scalars;
    tile::AxisAnalysis axes(scalars);
    auto print = [&](Location loc, Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !(type.getElementType().isIntOrIndex() ||
                     isa<tile::PtrType>(type.getElementType())))
        return;
      std::string text;
      llvm::raw_string_ostream os(text);
      axes.of(value).print(os);
      emitRemark(loc) << text;
    };
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value result : op->getResults())
        print(op->getLoc(), result);
    });
  }
};
} // namespace

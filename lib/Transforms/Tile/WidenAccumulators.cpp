//===- WidenAccumulators.cpp - Products that are summed in f32 ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEWIDENACCUMULATORS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

namespace {
struct TileWidenAccumulators
    : tile::impl::TileWidenAccumulatorsBase<TileWidenAccumulators> {
  void runOnOperation() override {
    getOperation().walk([](MatrixProductOpInterface product) {
      RankedTensorType narrow = product.getProductType();
      if (isa<Float16Type, BFloat16Type>(narrow.getElementType()))
        widen(product, narrow);
    });
  }

private:
  static void widen(MatrixProductOpInterface product, RankedTensorType narrow) {
    OpBuilder builder(product);
    Location loc = product.getLoc();
    RankedTensorType wide = narrow.clone(builder.getF32Type());
    if (OpOperand *acc = product.getAccOperand())
      acc->set(arith::ExtFOp::create(builder, loc, wide, acc->get()));
    Value result = product->getResult(0);
    result.setType(wide);
    builder.setInsertionPointAfter(product);
    auto rounded = arith::TruncFOp::create(builder, loc, narrow, result);
    result.replaceAllUsesExcept(rounded, rounded);
  }
};
} // namespace

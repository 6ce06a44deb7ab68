//===- WidenAccumulators.cpp - What is summed in f32 ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Transforms/Tile/Accumulators.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEWIDENACCUMULATORS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

/// A sum or product of 16-bit floats in any order.
static bool isNarrowSum(tile::ReduceOp reduce) {
  Block &body = reduce.getCombiner().front();
  return reduce.getSources().size() == 1 && !reduce.getOrdered() &&
         body.getOperations().size() == 2 &&
         isa<arith::AddFOp, arith::MulFOp>(body.front()) &&
         isa<Float16Type, BFloat16Type>(
             getElementTypeOrSelf(reduce.getSources()[0].getType()));
}

static void widen(tile::ReduceOp reduce) {
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  auto wide = [&](Type type) -> Type {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? Type(tile.clone(builder.getF32Type())) : builder.getF32Type();
  };
  Value source = reduce.getSources()[0], result = reduce->getResult(0);
  reduce->setOperand(
      0, arith::ExtFOp::create(builder, loc, wide(source.getType()), source));
  Block &body = reduce.getCombiner().front();
  for (BlockArgument argument : body.getArguments())
    argument.setType(builder.getF32Type());
  body.front().getResult(0).setType(builder.getF32Type());
  Type narrow = result.getType();
  result.setType(wide(narrow));
  builder.setInsertionPointAfter(reduce);
  auto rounded = arith::TruncFOp::create(builder, loc, narrow, result);
  result.replaceAllUsesExcept(rounded, rounded);
}

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

void tile::widenAccumulators(
    KernelOp kernel, llvm::function_ref<bool(MatrixProductOpInterface)> keeps) {
  kernel.walk([&](MatrixProductOpInterface product) {
    RankedTensorType narrow = product.getProductType();
    if (isa<Float16Type, BFloat16Type>(narrow.getElementType()) &&
        !(keeps && keeps(product)))
      widen(product, narrow);
  });
  kernel.walk([](ReduceOp reduce) {
    if (isNarrowSum(reduce))
      widen(reduce);
  });
}

namespace {
struct TileWidenAccumulators
    : tile::impl::TileWidenAccumulatorsBase<TileWidenAccumulators> {
  void runOnOperation() override { tile::widenAccumulators(getOperation()); }
};
} // namespace

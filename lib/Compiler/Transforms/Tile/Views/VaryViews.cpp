//===- VaryViews.cpp - Views for launches whose offsets do not wrap -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEVARYVIEWS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln::tile;

namespace {
struct TileVaryViews : kiln::tile::impl::TileVaryViewsBase<TileVaryViews> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto kernel : llvm::to_vector(getOperation().getOps<KernelOp>()))
      if (!kernel.isExternal() && failed(vary(kernel, symbols)))
        return signalPassFailure();
  }

private:
  LogicalResult vary(KernelOp kernel, SymbolTable &symbols) {
    if (kernel.isPrivate() || kernel.getVariantsAttr())
      return recover(kernel, /*assume=*/false);
    KernelOp variant = kernel.clone();
    variant.setSymName((kernel.getSymName() + "_views").str());
    variant.setPrivate();
    symbols.insert(variant, std::next(kernel->getIterator()));
    if (failed(recover(variant, /*assume=*/true)))
      return failure();
    if (!variant.getConditionAttr()) {
      kernel.getBody().takeBody(variant.getBody());
      symbols.erase(variant);
      return success();
    }
    kernel.setVariantsAttr(
        ArrayAttr::get(&getContext(), FlatSymbolRefAttr::get(variant)));
    return recover(kernel, /*assume=*/false);
  }

  LogicalResult recover(KernelOp kernel, bool assume) {
    OpPassManager pm(KernelOp::getOperationName());
    TileRecoverViewsOptions options;
    options.assume = assume;
    pm.addPass(createTileRecoverViews(options));
    return runPipeline(pm, kernel);
  }
};
} // namespace

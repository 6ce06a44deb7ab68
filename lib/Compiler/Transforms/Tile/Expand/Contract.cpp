//===- Contract.cpp - Products and sums become fused ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILECONTRACT
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;

namespace {
/// The product that an operand is and nothing else uses, or null.
arith::MulFOp getOwnProduct(Value operand) {
  auto product = operand.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() ? product : nullptr;
}

/// Sums of a product: `a * b + c`, `a * b - c` and `c - a * b`. Types narrower
/// than f32 stay, as processors compute them in f32 and round each.
template <typename SumOp> struct FuseProduct : OpRewritePattern<SumOp> {
  using OpRewritePattern<SumOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SumOp sum,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(sum.getType());
    if (!element.isF32() && !element.isF64())
      return failure();
    constexpr bool isDifference = std::is_same_v<SumOp, arith::SubFOp>;
    auto negate = [&](Value value) -> Value {
      if (!isDifference)
        return value;
      return arith::NegFOp::create(rewriter, sum.getLoc(), value);
    };
    if (arith::MulFOp product = getOwnProduct(sum.getLhs())) {
      rewriter.replaceOpWithNewOp<math::FmaOp>(
          sum, product.getLhs(), product.getRhs(), negate(sum.getRhs()));
      return success();
    }
    if (arith::MulFOp product = getOwnProduct(sum.getRhs())) {
      rewriter.replaceOpWithNewOp<math::FmaOp>(sum, negate(product.getLhs()),
                                               product.getRhs(), sum.getLhs());
      return success();
    }
    return failure();
  }
};

struct TileContract : kiln::tile::impl::TileContractBase<TileContract> {
  void runOnOperation() override {
    auto numerics = getOperation().getNumericsAttr();
    if (!numerics || !numerics.getContract())
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseProduct<arith::AddFOp>, FuseProduct<arith::SubFOp>>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    getOperation().walk([](arith::MulFOp product) {
      if (product->use_empty())
        product.erase();
    });
  }
};
} // namespace

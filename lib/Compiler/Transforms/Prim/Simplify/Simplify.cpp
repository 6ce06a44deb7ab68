// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// prim-simplify: canonical forms that fusion and schedules expect.
#include "Simplify.h"

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Transforms/Prim/Passes.h"

#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kiln::prim {
#define GEN_PASS_DEF_PRIMSIMPLIFY
#include "kiln/Transforms/Prim/Passes.h.inc"
} // namespace kiln::prim

using namespace mlir;
using namespace kiln::prim;

void kiln::prim::populateSimplifyPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa_and_nonnull<PrimDialect>(&op.getDialect()) ||
        op.getDialectNamespace() == "tensor" ||
        op.getDialectNamespace() == "arith")
      op.getCanonicalizationPatterns(patterns, context);
  populateNormaliseDotPatterns(patterns);
  populateEmptySumPatterns(patterns);
  populateSimplifyConvPatterns(patterns);
  populateUnitDimPatterns(patterns);
  populateMoveReshapePatterns(patterns);
  populateMoveTransposePatterns(patterns);
  populateOneHotPatterns(patterns);
  populateRepeatedScatterPatterns(patterns);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
}

namespace {

/// The pass.
struct PrimSimplify : kiln::prim::impl::PrimSimplifyBase<PrimSimplify> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateSimplifyPatterns(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    int64_t count = 0;
    root->walk([&](Operation *) { ++count; });
    GreedyRewriteConfig config;
    config.setMaxNumRewrites(10000 + 64 * count);
    IRRewriter rewriter(&getContext());
    // Values that turn out to be the same have more uses and fold further, so
    // there is a second round.
    for (int round = 0; round < 2; ++round) {
      // Stopping early leaves a valid program, so that is no error.
      (void)applyPatternsGreedily(root, patterns, config);
      DominanceInfo dominance(root);
      eliminateCommonSubExpressions(rewriter, dominance, root);
    }
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

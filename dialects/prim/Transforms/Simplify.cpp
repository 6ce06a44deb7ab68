// prim-simplify: canonical forms that fusion and schedules expect.
#include "Simplify.h"

#include "kiln/Dialect/Prim/Passes.h"
#include "kiln/Dialect/Prim/Prim.h"

#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kiln::prim {
#define GEN_PASS_DEF_PRIMSIMPLIFY
#include "kiln/Dialect/Prim/Passes.h.inc"
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
  populateSimplifyConvPatterns(patterns);
  populateUnitDimPatterns(patterns);
  populateMoveReshapePatterns(patterns);
  populateMoveTransposePatterns(patterns);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
}

namespace {

/// The pass.
struct PrimSimplify : kiln::prim::impl::PrimSimplifyBase<PrimSimplify> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSimplifyPatterns(patterns);
    // Stopping early leaves a valid program, so that is no error.
    int64_t count = 0;
    getOperation()->walk([&](Operation *) { ++count; });
    GreedyRewriteConfig config;
    config.setMaxNumRewrites(10000 + 64 * count);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config);
    // Sizes and constants that the patterns made more than once.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }
};

} // namespace

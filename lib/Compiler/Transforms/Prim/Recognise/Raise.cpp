// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// prim-raise-composites: recovers composite operations from simpler ones.
#include "Raise.h"

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Transforms/Prim/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kiln::prim {
#define GEN_PASS_DEF_PRIMRAISECOMPOSITES
#include "kiln/Transforms/Prim/Passes.h.inc"
} // namespace kiln::prim

using namespace mlir;
using namespace kiln::prim;

void kiln::prim::populateRaisePatterns(RewritePatternSet &patterns) {
  populateRaiseActivations(patterns);
  populateRaiseNorms(patterns);
  populateRaiseAttention(patterns);
}

namespace {

/// The pass.
struct PrimRaiseComposites
    : kiln::prim::impl::PrimRaiseCompositesBase<PrimRaiseComposites> {
  void runOnOperation() override {
    // The same value computed twice would hide a pattern.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    RewritePatternSet patterns(&getContext());
    populateRaisePatterns(patterns);
    // Folded constants and merged shape changes leave fewer forms to match.
    PowOp::getCanonicalizationPatterns(patterns, &getContext());
    BroadcastInDimOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError(
          "prim-raise-composites: did not reach a fixed point");
      signalPassFailure();
    }
  }
};

} // namespace

// prim-raise-composites: recovers composite operations from simpler ones.
#include "Raise.h"

#include "kiln/Dialect/Prim/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kiln::prim {
#define GEN_PASS_DEF_PRIMRAISECOMPOSITES
#include "kiln/Dialect/Prim/Passes.h.inc"
} // namespace kiln::prim

using namespace mlir;
using namespace kiln::prim;

void kiln::prim::populateRaisePatterns(RewritePatternSet &patterns) {
  populateRaiseActivations(patterns);
}

namespace {

/// The pass.
struct PrimRaiseComposites
    : kiln::prim::impl::PrimRaiseCompositesBase<PrimRaiseComposites> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateRaisePatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError(
          "prim-raise-composites: did not reach a fixed point");
      signalPassFailure();
    }
  }
};

} // namespace

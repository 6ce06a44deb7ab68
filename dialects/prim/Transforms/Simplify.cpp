// prim-simplify: canonical forms that fusion and schedules expect.
#include "Simplify.h"

#include "kiln/Dialect/Prim/Passes.h"
#include "kiln/Dialect/Prim/Prim.h"

#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
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
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
}

namespace {

/// The pass.
struct PrimSimplify : kiln::prim::impl::PrimSimplifyBase<PrimSimplify> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSimplifyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("prim-simplify: did not reach a fixed point");
      signalPassFailure();
    }
  }
};

} // namespace

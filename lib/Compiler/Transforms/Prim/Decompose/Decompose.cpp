// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// prim-decompose: expands composite operations.
#include "Decompose.h"

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Transforms/Prim/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kiln::prim {
#define GEN_PASS_DEF_PRIMDECOMPOSE
#include "kiln/Transforms/Prim/Passes.h.inc"
} // namespace kiln::prim

using namespace mlir;
using namespace kiln::prim;

/// Mnemonics of everything that has a decomposition.
static constexpr llvm::StringLiteral composites[] = {"sigmoid",
                                                     "silu",
                                                     "relu",
                                                     "gelu",
                                                     "softmax",
                                                     "rms_norm",
                                                     "layer_norm",
                                                     "attention",
                                                     "attention_backward",
                                                     "fourier",
                                                     "avg_pool",
                                                     "dynamic_slice",
                                                     "dynamic_update_slice",
                                                     "gather_slices",
                                                     "argmin",
                                                     "bitcast_convert",
                                                     "random_bits",
                                                     "sort",
                                                     "top_k",
                                                     "reduce_window",
                                                     "select_and_scatter",
                                                     "all_gather",
                                                     "reduce_scatter",
                                                     "all_to_all"};

void kiln::prim::populateDecomposePatterns(RewritePatternSet &patterns,
                                           ArrayRef<std::string> names) {
  auto wanted = [&](StringRef name) {
    name.consume_front("prim.");
    return names.empty() || llvm::is_contained(names, name);
  };
  populateDecomposeActivations(patterns, wanted);
  populateDecomposeNorms(patterns, wanted);
  populateDecomposeAttention(patterns, wanted);
  populateDecomposeFourier(patterns, wanted);
  populateDecomposePooling(patterns, wanted);
  populateDecomposeDynamic(patterns, wanted);
  populateDecomposeBits(patterns, wanted);
  populateDecomposeRandom(patterns, wanted);
  populateDecomposeSort(patterns, wanted);
  populateDecomposeWindows(patterns, wanted);
  populateDecomposeCollective(patterns, wanted);
}

namespace {

/// The pass.
struct PrimDecompose : kiln::prim::impl::PrimDecomposeBase<PrimDecompose> {
  using PrimDecomposeBase::PrimDecomposeBase;

  void runOnOperation() override {
    SmallVector<std::string> names(ops.begin(), ops.end());
    for (const std::string &name : names)
      if (!llvm::is_contained(composites, name)) {
        getOperation()->emitError()
            << "prim-decompose: expected the mnemonic of a composite, found '"
            << name << "'";
        return signalPassFailure();
      }
    RewritePatternSet patterns(&getContext());
    populateDecomposePatterns(patterns, names);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("prim-decompose: did not reach a fixed point");
      signalPassFailure();
    }
  }
};

} // namespace

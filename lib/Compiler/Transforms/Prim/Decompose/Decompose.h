// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The groups of patterns of prim-decompose. Private to the dialect.
#ifndef KILN_LIB_TRANSFORMS_PRIM_DECOMPOSE_H
#define KILN_LIB_TRANSFORMS_PRIM_DECOMPOSE_H

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln::prim {

/// Whether a composite is to be expanded.
using WantedFn = llvm::function_ref<bool(llvm::StringRef)>;

void populateDecomposeActivations(mlir::RewritePatternSet &patterns,
                                  WantedFn wanted);
void populateDecomposeNorms(mlir::RewritePatternSet &patterns, WantedFn wanted);
void populateDecomposeAttention(mlir::RewritePatternSet &patterns,
                                WantedFn wanted);
void populateDecomposeFourier(mlir::RewritePatternSet &patterns,
                              WantedFn wanted);
void populateDecomposePooling(mlir::RewritePatternSet &patterns,
                              WantedFn wanted);
void populateDecomposeDynamic(mlir::RewritePatternSet &patterns,
                              WantedFn wanted);
void populateDecomposeBits(mlir::RewritePatternSet &patterns, WantedFn wanted);
void populateDecomposeRandom(mlir::RewritePatternSet &patterns,
                             WantedFn wanted);
void populateDecomposeSort(mlir::RewritePatternSet &patterns, WantedFn wanted);
void populateDecomposeCollective(mlir::RewritePatternSet &patterns,
                                 WantedFn wanted);
void populateDecomposeWindows(mlir::RewritePatternSet &patterns,
                              WantedFn wanted);

/// A pattern that leaves what has been claimed whole.
template <typename Pattern, typename Op> struct Unclaimed : Pattern {
  using Pattern::Pattern;
  mlir::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (isClaimed(op))
      return mlir::failure();
    return Pattern::matchAndRewrite(op, rewriter);
  }
};

/// Adds a pattern if its operation is wanted.
template <typename Pattern, typename Op>
void addWanted(mlir::RewritePatternSet &patterns, WantedFn wanted) {
  if (wanted(Op::getOperationName()))
    patterns.add<Unclaimed<Pattern, Op>>(patterns.getContext());
}

} // namespace kiln::prim

#endif // KILN_LIB_TRANSFORMS_PRIM_DECOMPOSE_H

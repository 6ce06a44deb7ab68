// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The groups of patterns of prim-simplify. Private to the dialect.
#ifndef KILN_LIB_TRANSFORMS_PRIM_SIMPLIFY_H
#define KILN_LIB_TRANSFORMS_PRIM_SIMPLIFY_H

#include "mlir/IR/PatternMatch.h"

namespace kiln::prim {

/// Whether a value is a tensor with a dimension of size 1.
bool hasUnitDim(mlir::Value value);

/// How many operations isAnchored() looks through.
inline constexpr int anchorDepth = 16;

/// Whether `value` is the result of an operation that keeps its dimensions of
/// size 1, such as a convolution, or is computed elementwise from one: a
/// reshape would separate the two.
bool isAnchored(mlir::Value value, int depth = anchorDepth);

void populateNormaliseDotPatterns(mlir::RewritePatternSet &patterns);
void populateEmptySumPatterns(mlir::RewritePatternSet &patterns);
void populateSimplifyConvPatterns(mlir::RewritePatternSet &patterns);
void populateUnitDimPatterns(mlir::RewritePatternSet &patterns);
void populateMoveReshapePatterns(mlir::RewritePatternSet &patterns);
void populateMoveTransposePatterns(mlir::RewritePatternSet &patterns);
void populateOneHotPatterns(mlir::RewritePatternSet &patterns);
void populateRepeatedScatterPatterns(mlir::RewritePatternSet &patterns);

} // namespace kiln::prim

#endif // KILN_LIB_TRANSFORMS_PRIM_SIMPLIFY_H

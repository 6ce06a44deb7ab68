// The groups of patterns of prim-simplify. Private to the dialect.
#ifndef KILN_DIALECTS_PRIM_TRANSFORMS_SIMPLIFY_H
#define KILN_DIALECTS_PRIM_TRANSFORMS_SIMPLIFY_H

#include "mlir/IR/PatternMatch.h"

namespace kiln::prim {

void populateNormaliseDotPatterns(mlir::RewritePatternSet &patterns);
void populateUnitDimPatterns(mlir::RewritePatternSet &patterns);
void populateMoveReshapePatterns(mlir::RewritePatternSet &patterns);
void populateMoveTransposePatterns(mlir::RewritePatternSet &patterns);

} // namespace kiln::prim

#endif // KILN_DIALECTS_PRIM_TRANSFORMS_SIMPLIFY_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The groups of patterns of prim-raise-composites. Private to the dialect.
#ifndef KILN_LIB_TRANSFORMS_PRIM_RAISE_H
#define KILN_LIB_TRANSFORMS_PRIM_RAISE_H

#include "mlir/IR/PatternMatch.h"

namespace kiln::prim {

void populateRaiseActivations(mlir::RewritePatternSet &patterns);
void populateRaiseNorms(mlir::RewritePatternSet &patterns);
void populateRaiseAttention(mlir::RewritePatternSet &patterns);

} // namespace kiln::prim

#endif // KILN_LIB_TRANSFORMS_PRIM_RAISE_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the second and the third step add to the target.
#ifndef SYSTOLIC_EXTENSIONS_H
#define SYSTOLIC_EXTENSIONS_H

#include "SystolicDialect.h"

namespace systolic {

/// Step 2: lanes for what regions compute.
void registerVectorUnit(kiln::target::TargetRegistry &registry);
/// Step 3: whole softmaxes are claimed; weights lie in blocks.
void registerSoftmax(kiln::target::TargetRegistry &registry);
void packWeights(mlir::ModuleOp module);

} // namespace systolic

#endif

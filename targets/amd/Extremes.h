// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maxima and minima, with the rules of arith.
#ifndef KILN_TARGETS_AMD_EXTREMES_H
#define KILN_TARGETS_AMD_EXTREMES_H

#include "Chips.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::amd {

/// Gives all maxima and minima of floats in a module instructions.
void lowerExtremes(mlir::ModuleOp module, const Chip *chip);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_EXTREMES_H

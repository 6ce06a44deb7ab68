// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of StableHLO and CHLO to prim.
#ifndef KILN_CONVERSION_STABLEHLOTOPRIM_H
#define KILN_CONVERSION_STABLEHLOTOPRIM_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln {

#define GEN_PASS_DECL_STABLEHLOTOPRIM
#include "kiln/Conversion/StablehloToPrim.h.inc"

/// Registers `convert-stablehlo-to-prim`.
#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/StablehloToPrim.h.inc"

/// Adds the frontend `stablehlo`.
void registerStablehloFrontend();

} // namespace kiln

#endif // KILN_CONVERSION_STABLEHLOTOPRIM_H

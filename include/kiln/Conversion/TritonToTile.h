// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of Triton's block programs to tile.
#ifndef KILN_CONVERSION_TRITONTOTILE_H
#define KILN_CONVERSION_TRITONTOTILE_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln {

#define GEN_PASS_DECL_TRITONTOTILE
#include "kiln/Conversion/TritonToTile.h.inc"

/// Registers `convert-triton-to-tile`.
#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/TritonToTile.h.inc"

/// Adds the frontend `triton`.
void registerTritonFrontend();

} // namespace kiln

#endif // KILN_CONVERSION_TRITONTOTILE_H

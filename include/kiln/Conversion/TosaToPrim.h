// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of TOSA, and of what stands among it, to prim.
#ifndef KILN_CONVERSION_TOSATOPRIM_H
#define KILN_CONVERSION_TOSATOPRIM_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln {

#define GEN_PASS_DECL_TOSATOPRIM
#include "kiln/Conversion/TosaToPrim.h.inc"

/// Registers `convert-tosa-to-prim`.
#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/TosaToPrim.h.inc"

/// Adds the frontend `tosa`.
void registerTosaFrontend();

} // namespace kiln

#endif // KILN_CONVERSION_TOSATOPRIM_H

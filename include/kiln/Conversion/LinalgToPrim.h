// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of linalg, and of what stands among it, to prim.
#ifndef KILN_CONVERSION_LINALGTOPRIM_H
#define KILN_CONVERSION_LINALGTOPRIM_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln {

#define GEN_PASS_DECL_LINALGTOPRIM
#include "kiln/Conversion/LinalgToPrim.h.inc"

/// Registers `convert-linalg-to-prim`.
#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/LinalgToPrim.h.inc"

/// Adds the frontend `linalg`.
void registerLinalgFrontend();

} // namespace kiln

#endif // KILN_CONVERSION_LINALGTOPRIM_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of models of ONNX to prim.
#ifndef KILN_CONVERSION_ONNXTOPRIM_H
#define KILN_CONVERSION_ONNXTOPRIM_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln {

#define GEN_PASS_DECL_ONNXTOPRIM
#include "kiln/Conversion/OnnxToPrim.h.inc"

/// Registers `convert-onnx-to-prim`.
#define GEN_PASS_REGISTRATION
#include "kiln/Conversion/OnnxToPrim.h.inc"

/// Adds the frontend `onnx`.
void registerOnnxFrontend();

} // namespace kiln

#endif // KILN_CONVERSION_ONNXTOPRIM_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations that other operators apply to their results. Private to the
// conversion.
#ifndef KILN_CONVERSIONS_ONNXTOPRIM_ACTIVATION_H
#define KILN_CONVERSIONS_ONNXTOPRIM_ACTIVATION_H

#include "Node.h"

namespace kiln::onnx_to_prim {

/// What the operator `name` of ONNX makes of `x`, with its attributes in the
/// order of ONNX Runtime's fused operators; none if the name is empty. Null
/// after a report.
Value activate(Node &n, Value x, StringRef name, ArrayRef<double> parameters);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_ACTIVATION_H

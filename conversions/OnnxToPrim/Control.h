// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What conditions and loops share. Private to the conversion.
#ifndef KILN_CONVERSIONS_ONNXTOPRIM_CONTROL_H
#define KILN_CONVERSIONS_ONNXTOPRIM_CONTROL_H

#include "Node.h"

namespace kiln::onnx_to_prim {

/// A tensor of one element as one of rank 0.
Value scalar(Node &n, Value x);
/// Removes operations whose results are not used.
void eraseDead(mlir::Block &block);

/// The rule of If.
LogicalResult translateIf(Node &n);
/// A Loop whose number of steps is not known, as a prim.while. `vars` are the
/// tensors that it carries.
LogicalResult translateWhile(Node &n, mlir::Region &body, ArrayRef<Value> vars);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_CONTROL_H

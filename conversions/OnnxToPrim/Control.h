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

/// Begins a region of a prim.while that carries `inits`, and gives what it
/// carries there. What is built next goes into it.
mlir::Block::BlockArgListType enter(Node &n, mlir::Region &region,
                                    ArrayRef<Value> inits);
/// Gives a tensor that a loop carries the type that it has there.
LogicalResult keepType(Node &n, Value &next, Value carried);

/// What a step of a loop gives, of its number and of the tensors that the loop
/// carries: these, then what is stacked.
using LoopBody = llvm::function_ref<FailureOr<SmallVector<Value>>(
    Value step, ArrayRef<Value> carried)>;
/// Runs `count` steps as a prim.while, and gives the tensors that it carries
/// and what is stacked, along a new dimension 0 in the order of the steps. The
/// shape of what is stacked must be that of step 0.
FailureOr<SmallVector<Value>> countedLoop(Node &n, mlir::OpFoldResult count,
                                          ArrayRef<Value> vars,
                                          const LoopBody &body);

} // namespace kiln::onnx_to_prim

#endif // KILN_CONVERSIONS_ONNXTOPRIM_CONTROL_H

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an operation moves the elements of tensors or tiles without changing them.
#ifndef KILN_INTERFACES_MOVEMENT_TD
#define KILN_INTERFACES_MOVEMENT_TD

include "mlir/IR/OpBase.td"

class MovementInterface<string name> : OpInterface<name> {
  let cppNamespace = "::kiln";
}

/// A movement of the elements of one operand.
class SingleMovementInterface<string name, list<InterfaceMethod> others = []> : MovementInterface<name> {
  let methods = !listconcat([
    InterfaceMethod<"The tensor or tile whose elements move.", "::mlir::Value", "getMoved", (ins), "",
      "return $_op->getOperand(0);">
  ], others);
}

def PermutationOpInterface : SingleMovementInterface<"PermutationOpInterface", [
    InterfaceMethod<"The dimension of the operand that each dimension of the result is.",
      "::llvm::ArrayRef<int64_t>", "getPermutation">
  ]> {
  let description = [{ An operation that permutes dimensions: `prim.transpose`, `tile.transpose`. }];
}

def ReshapeOpInterface : SingleMovementInterface<"ReshapeOpInterface"> {
  let description = [{
    An operation whose only result has the elements of its operand in the same row-major order, in another shape: `prim.reshape`,
    `tile.reshape`, `tile.expand_dims`.
  }];
}

def RepeatOpInterface : SingleMovementInterface<"RepeatOpInterface", [
    InterfaceMethod<"The dimension of the result that each dimension of the operand is, in ascending order.",
      "::llvm::SmallVector<int64_t>", "getKeptDims">
  ]> {
  let description = [{
    An operation that repeats its operand along the other dimensions of the result, and where a dimension of the operand has one
    element: `prim.broadcast_in_dim`, `tile.broadcast`. Other sizes are kept.
  }];
}

def SliceOpInterface : SingleMovementInterface<"SliceOpInterface", [
    InterfaceMethod<"The first element along each dimension.", "::llvm::ArrayRef<int64_t>", "getStarts">,
    InterfaceMethod<"How far apart the elements are along each dimension.", "::llvm::ArrayRef<int64_t>", "getStrides">
  ]> {
  let description = [{ An operation that takes a strided part: result[i] = operand[start + i * stride], as `prim.slice` does. }];
}

def ReversalOpInterface : SingleMovementInterface<"ReversalOpInterface", [
    InterfaceMethod<"The dimensions whose order is reversed.", "::llvm::ArrayRef<int64_t>", "getReversedDims">
  ]> {
  let description = [{ An operation that reverses the order along dimensions, as `prim.rev` does. }];
}

def PaddingOpInterface : SingleMovementInterface<"PaddingOpInterface", [
    InterfaceMethod<"How many elements are before the operand, along each dimension.", "::llvm::ArrayRef<int64_t>", "getLow">,
    InterfaceMethod<"How many elements are behind the operand, along each dimension.", "::llvm::ArrayRef<int64_t>", "getHigh">,
    InterfaceMethod<"The other elements.", "::mlir::TypedAttr", "getPadding">
  ]> {
  let description = [{ An operation that surrounds its operand by copies of one element, as `prim.pad` does. }];
}

def ConcatenationOpInterface : MovementInterface<"ConcatenationOpInterface"> {
  let description = [{ An operation whose operands follow each other along one dimension of the result: `prim.cat`, `tile.cat`. }];
  let methods = [
    InterfaceMethod<"The dimension.", "int64_t", "getJoinedDim">
  ];
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes on whole tensors know of an operation: what it creates, reduces, computes for each element, or groups.
#ifndef KILN_DIALECT_PRIM_TENSORINTERFACES_TD
#define KILN_DIALECT_PRIM_TENSORINTERFACES_TD

include "mlir/IR/OpBase.td"

class Prim_OpInterface<string name> : OpInterface<name> {
  let cppNamespace = "::kiln::prim";
}

def Prim_CreationOpInterface : Prim_OpInterface<"CreationOpInterface"> {
  let description = [{
    An operation whose only result is a tensor that it makes from attributes and sizes alone: `prim.full`, `prim.constant`, `prim.iota`.
  }];
  let methods = [
    InterfaceMethod<"The element that the result has everywhere. Null: elements differ, or there are none.",
      "::mlir::TypedAttr", "getSplatValue", (ins), "", "return {};">,
    InterfaceMethod<"The dimension whose index each element is; none: elements are something else.",
      "::std::optional<int64_t>", "getCountedDim", (ins), "", "return ::std::nullopt;">
  ];
}

def Prim_TensorReductionOpInterface : Prim_OpInterface<"TensorReductionOpInterface"> {
  let description = [{
    An operation that combines the elements of its first operand along some dimensions, which its only result does not have. The other
    dimensions keep their order. Where elements are integers they are signed. A place is the index of the first of equals along one
    dimension that is not empty, of type i32 or i64; it is for numbers, not for i1.
  }];
  let methods = [
    InterfaceMethod<"The dimensions of the operand that are reduced, in ascending order.",
      "::llvm::SmallVector<int64_t>", "getReducedDims">,
    InterfaceMethod<"What the result is, for the elements along these dimensions.",
      "::kiln::prim::ReductionFunction", "getReductionFunction">,
    InterfaceMethod<"Whether NaN is smaller than every number where the result is a place; otherwise it is larger.",
      "bool", "ignoresNan", (ins), "", "return false;">
  ];
  let extraSharedClassDeclaration = [{
    /// Returns the tensor that is reduced.
    ::mlir::TypedValue<::mlir::RankedTensorType> getReduced() {
      return ::llvm::cast<::mlir::TypedValue<::mlir::RankedTensorType>>($_op->getOperand(0));
    }
    ::mlir::TypedValue<::mlir::RankedTensorType> getReduction() {
      return ::llvm::cast<::mlir::TypedValue<::mlir::RankedTensorType>>($_op->getResult(0));
    }
    /// Returns whether the result is the place of an element, not made of elements.
    bool givesPlaces() { return $_op.getReductionFunction() == ::kiln::prim::ReductionFunction::PlaceOfMaximum; }
  }];
}

def Prim_ElementFunctionOpInterface : Prim_OpInterface<"ElementFunctionOpInterface"> {
  let description = [{
    An elementwise operation that computes a known function of the elements of its operands, in order. Passes that recognise
    formulas ask for it, such as schedules of softmax, of norms and of masks.
  }];
  let methods = [
    InterfaceMethod<"The function.", "::kiln::prim::ElementFunction", "getElementFunction">,
    InterfaceMethod<"Whether integers are unsigned.", "bool", "isOfUnsigned", (ins), "", "return false;">
  ];
}

def Prim_ElementConversionOpInterface : Prim_OpInterface<"ElementConversionOpInterface"> {
  let description = [{ An operation that converts the elements of its operand to another type, as `prim.convert_element_type` does. }];
  let methods = [
    InterfaceMethod<"Whether integers are converted as unsigned ones.", "bool", "getFromUnsigned">,
    InterfaceMethod<"Whether resulting integers are unsigned.", "bool", "getToUnsigned">
  ];
}

def Prim_GroupOpInterface : Prim_OpInterface<"GroupOpInterface"> {
  let description = [{
    An operation whose region of one block is isolated and becomes kernels of its own: `prim.fusion` and `prim.claim`. The arguments of
    the block are the operands, in order, and the operands of its terminator are the results.
  }];
  let methods = [
    InterfaceMethod<"The name by which scripts and reports know the group: its kind, or the name of a claim.",
      "::llvm::StringRef", "getGroupName">,
    InterfaceMethod<"Whether a target has claimed the operations whole; passes leave them as they are then.",
      "bool", "isClaim", (ins), "", "return false;">
  ];
  let extraSharedClassDeclaration = [{
    /// Returns the block of the region.
    ::mlir::Block &getGroupBlock() { return $_op->getRegion(0).front(); }
    /// Returns what `result`, a result of the group, is inside of it.
    ::mlir::Value getInside(::mlir::OpResult result) {
      return getGroupBlock().getTerminator()->getOperand(result.getResultNumber());
    }
  }];
}

def Prim_WindowOpInterface : Prim_OpInterface<"WindowOpInterface"> {
  let description = [{
    An operation that slides a window over its first operand: `prim.conv`, `prim.max_pool`, `prim.sum_pool`.
  }];
  let methods = [
    InterfaceMethod<"What the elements in the window are multiplied with before they are added up; null: with nothing.",
      "::mlir::Value", "getWindowFilter", (ins), "", "return {};">,
    InterfaceMethod<"How the elements in the window combine.", "::kiln::prim::ReductionFunction", "getWindowFunction">
  ];
}

#endif

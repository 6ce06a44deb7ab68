// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of tiles.
#ifndef KILN_INTERFACES_MATRIXPRODUCT_TD
#define KILN_INTERFACES_MATRIXPRODUCT_TD

include "mlir/IR/OpBase.td"

def MatrixProductOpInterface : OpInterface<"MatrixProductOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    A product of two matrices, or of batches of them, that is added to an accumulator: its only
    result. IndexMapOpInterface, which such an operation implements, too, says which dimensions are
    rows, columns, summed and batch; getProductShape in MatrixProduct.h reads that.

    Operands may have scales, one for each block of elements along the summed dimension.
  }];
  let methods = [
    InterfaceMethod<"The left operand.", "::mlir::OpOperand &", "getLhsOperand">,
    InterfaceMethod<"The right operand.", "::mlir::OpOperand &", "getRhsOperand">,
    InterfaceMethod<"The accumulator; null: zero.",
      "::mlir::OpOperand *", "getAccOperand", (ins), "", "return nullptr;">,
    InterfaceMethod<"The scales of the left operand; null: none.",
      "::mlir::OpOperand *", "getLhsScaleOperand", (ins), "", "return nullptr;">,
    InterfaceMethod<"The scales of the right operand; null: none.",
      "::mlir::OpOperand *", "getRhsScaleOperand", (ins), "", "return nullptr;">,
    InterfaceMethod<"How f32 operands are read.",
      "::kiln::ProductPrecision", "getProductPrecision", (ins), "",
      "return ::kiln::ProductPrecision::IEEE;">,
    InterfaceMethod<[{
      Chooses how f32 operands are read. Fails, changing nothing, where the operation has no choice.
    }], "::llvm::LogicalResult", "setProductPrecision", (ins "::kiln::ProductPrecision":$precision),
      "", "return ::mlir::failure();">,
    InterfaceMethod<"Whether integers of the left operand are unsigned.",
      "bool", "isLhsUnsigned", (ins), "", "return false;">,
    InterfaceMethod<"Whether integers of the right operand are unsigned.",
      "bool", "isRhsUnsigned", (ins), "", "return false;">,
    InterfaceMethod<"How many products of 8-bit floats may be summed with 13 bits of fraction; 0: none.",
      "int64_t", "getImpreciseTerms", (ins), "", "return 0;">,
    InterfaceMethod<[{
      Returns true if an operand is encoded: its elements are bytes that hold
      floats, one or several to a byte. Only code for this operation can read them.
    }], "bool", "hasEncodedFactors", (ins), "", "return false;">,
  ];
  let extraSharedClassDeclaration = [{
    ::mlir::RankedTensorType getProductType() {
      return ::llvm::cast<::mlir::RankedTensorType>($_op->getResult(0).getType());
    }
  }];
}

#endif

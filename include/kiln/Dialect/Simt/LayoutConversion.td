// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that give a tile another layout.
#ifndef KILN_DIALECT_SIMT_LAYOUTCONVERSION_TD
#define KILN_DIALECT_SIMT_LAYOUTCONVERSION_TD

include "mlir/IR/OpBase.td"

def Simt_LayoutConversionOpInterface : OpInterface<"LayoutConversionOpInterface"> {
  let cppNamespace = "::kiln::simt";
  let description = [{
    An operation whose only result is its operand with another layout: threads exchange elements, and no element changes.
    `simt.convert_layout` is one. Passes look through it, and compute or load a tile again where that costs less.
  }];
  let methods = [
    InterfaceMethod<"The tile.", "::mlir::TypedValue<::mlir::RankedTensorType>", "getSource">
  ];
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes on host programs know of an operation that gives a buffer.
#ifndef KILN_DIALECT_PROGRAM_BUFFERINTERFACES_TD
#define KILN_DIALECT_PROGRAM_BUFFERINTERFACES_TD

include "mlir/IR/OpBase.td"

def Program_BufferOpInterface : OpInterface<"BufferOpInterface"> {
  let cppNamespace = "::kiln::program";
  let description = [{
    An operation whose only result is a buffer, of its own or a view of another one.
  }];
  let methods = [
    InterfaceMethod<"The buffer that the result is a view of. Null: the result is memory of its own.",
      "::mlir::Value", "getViewedBuffer", (ins), "", "return {};">,
    InterfaceMethod<[{
      The operand that says how many elements the result has along a dimension of dynamic size. Null: none does.
    }], "::mlir::Value", "getSizeOperand", (ins "int64_t":$dim), "", "return {};">,
    InterfaceMethod<[{
      The operand that says how far apart elements are along a dimension of dynamic stride. Null: none does.
    }], "::mlir::Value", "getStrideOperand", (ins "int64_t":$dim), "", "return {};">
  ];
}

#endif

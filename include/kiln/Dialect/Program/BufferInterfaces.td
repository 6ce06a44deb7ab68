// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes on host programs know of operations that give buffers, use them, or launch kernels.
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
    }], "::mlir::Value", "getStrideOperand", (ins "int64_t":$dim), "", "return {};">,
    InterfaceMethod<"How many elements a view begins behind the buffer that it views: an attribute or an operand.",
      "::mlir::OpFoldResult", "getViewOffset", (ins), "", "return {};">,
    InterfaceMethod<"The device that has the memory. Null: it is not stated, or the buffer is a view.",
      "::mlir::StringAttr", "getBufferDevice", (ins), "", "return {};">,
    InterfaceMethod<"Whether the memory is of its own and nothing has written its elements.",
      "bool", "startsUnwritten", (ins), "", "return false;">,
    InterfaceMethod<[{
      Builds a buffer with the same first contents in the memory of a device. Null: contents have to be copied.
    }], "::mlir::Value", "buildOnDevice", (ins "::mlir::OpBuilder &":$builder, "::mlir::StringAttr":$device), "", "return {};">,
    InterfaceMethod<"Moves memory that has no device yet to one, before a place in it is given.",
      "void", "placeOnDevice", (ins "::mlir::StringAttr":$device), "", "return;">
  ];
}

def Program_BufferUserOpInterface : OpInterface<"BufferUserOpInterface"> {
  let cppNamespace = "::kiln::program";
  let description = [{
    An operation that reads or writes the buffers among its operands while it runs, and gives none of them another name.
  }];
  let methods = [
    InterfaceMethod<"Whether elements of an operand that is a buffer are written.",
      "bool", "writesBuffer", (ins "::mlir::OpOperand &":$operand), "", "return false;">
  ];
}

def Program_LaunchOpInterface : OpInterface<"LaunchOpInterface"> {
  let cppNamespace = "::kiln::program";
  let description = [{
    An operation that runs a kernel once for each point of a grid, as `program.launch` does. The methods need no code if the operation
    names its operands and attributes as `program.launch` names them: MLIR then generates them.
  }];
  let methods = [
    InterfaceMethod<"The kernels of which one runs, the variants in order.", "::mlir::ArrayAttr", "getKernels">,
    InterfaceMethod<"Says which kernels run.", "void", "setKernelsAttr", (ins "::mlir::ArrayAttr":$kernels)>,
    InterfaceMethod<"An i1 for each kernel but the last: whether it may run.", "::mlir::OperandRange", "getGuards">,
    InterfaceMethod<"The guards, to be changed.", "::mlir::MutableOperandRange", "getGuardsMutable">,
    InterfaceMethod<"Three extents for all kernels, or for each.", "::mlir::OperandRange", "getGrid">,
    InterfaceMethod<"The extents, to be changed.", "::mlir::MutableOperandRange", "getGridMutable">,
    InterfaceMethod<"The three extents of one kernel.", "::mlir::OperandRange", "getGridOf", (ins "unsigned":$variant)>,
    InterfaceMethod<"The arguments of the kernel.", "::mlir::OperandRange", "getArgs">,
    InterfaceMethod<"The arguments, to be changed.", "::mlir::MutableOperandRange", "getArgsMutable">,
    InterfaceMethod<"The positions of the arguments that are written.", "::llvm::ArrayRef<int64_t>", "getWrites">,
    InterfaceMethod<"The device that runs the kernel, if it is stated.", "::mlir::StringAttr", "getDeviceAttr">,
    InterfaceMethod<"States the device.", "void", "setDeviceAttr", (ins "::mlir::StringAttr":$device)>
  ];
  let extraSharedClassDeclaration = [{
    /// Returns the names of the kernels, in order.
    auto getKernelNames() { return $_op.getKernels().template getAsRange<::mlir::FlatSymbolRefAttr>(); }
  }];
}

#endif

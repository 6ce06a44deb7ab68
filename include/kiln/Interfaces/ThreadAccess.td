// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory accesses of a thread.
#ifndef KILN_INTERFACES_THREADACCESS_TD
#define KILN_INTERFACES_THREADACCESS_TD

include "mlir/IR/OpBase.td"

def ThreadAccessOpInterface : OpInterface<"ThreadAccessOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An operation by which a thread of a GPU accesses memory through pointers: loads, stores, atomic operations, matrix moves, and
    asynchronous operations that read or write memory while the thread goes on. The barrier verifier asks which bytes it accesses, and
    by which wait an asynchronous access is complete. An operation that implements `AsyncCopyOpInterface` needs no second interface.
  }];
  let methods = [
    InterfaceMethod<"Adds all accesses of the operation.", "void", "getThreadAccesses",
      (ins "::llvm::SmallVectorImpl<::kiln::ThreadAccess> &":$accesses)>
  ];
}

def AsyncProductOpInterface : OpInterface<"AsyncProductOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An asynchronous matmul of the warps of a GPU. Its results are accumulators in flight: only another matmul may accumulate into them
    until a wait for groups of matmuls covers the operation. The verifier of such accumulators follows it, and passes move
    copies behind it.
  }];
  let methods = [
    InterfaceMethod<"Whether an operand of the operation may be an accumulator in flight.", "bool", "isAccumulator",
      (ins "::mlir::OpOperand &":$operand)>
  ];
}

#endif

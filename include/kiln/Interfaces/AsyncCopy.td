// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_INTERFACES_ASYNCCOPY_TD
#define KILN_INTERFACES_ASYNCCOPY_TD

include "mlir/IR/OpBase.td"

def AsyncCopyOpInterface : OpInterface<"AsyncCopyOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An operation by which one thread starts a copy from global memory to shared memory. The copy is in flight until a
    `simt.wait_copies` covers its group: the copies of a thread between two `simt.commit_copies`. Until then no thread may
    read or write the target, or write the source. `simt.copy_async` is one; a plug-in adds others.

    The barrier verifier follows all of them, `reference` evaluates them, and passes move and count them alike. An
    operation whose operands and attributes are called `source`, `target`, `bytes`, `mask` and `valid` has these functions by
    its definition. Its effects are reads and writes of any memory.
  }];
  let methods = [
    InterfaceMethod<"The address in global memory, an `!llvm.ptr`.", "::mlir::Value", "getSource">,
    InterfaceMethod<"The address in shared memory, an `!llvm.ptr<3>`.", "::mlir::Value", "getTarget">,
    InterfaceMethod<"The number of bytes that are written, of which both addresses are multiples.", "int64_t", "getBytes">,
    InterfaceMethod<"An i1: if false, nothing is copied. Null: the copy happens.",
      "::mlir::Value", "getMask", (ins), "", "return ::mlir::Value();">,
    InterfaceMethod<[{
      The number of bytes that are read; the others are written as zero. An i1 means all bytes or none. Null: all.
    }], "::mlir::Value", "getValid", (ins), "", "return ::mlir::Value();">
  ];
}

#endif

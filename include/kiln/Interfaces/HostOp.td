// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that the host does.
#ifndef KILN_INTERFACES_HOSTOP_TD
#define KILN_INTERFACES_HOSTOP_TD

include "mlir/IR/OpBase.td"

def HostOpInterface : OpInterface<"HostOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An operation that the host does between the launches of kernels, on every target: no kernel is made for it, and that
    is no fallback. Its operands and results are dense tensors; the runtime has a function for it under a name.
  }];
  let methods = [
    InterfaceMethod<"The name of the runtime's function.",
      "::llvm::StringRef", "getHostFunction", (ins), "", [{ return $_op->getName().stripDialect(); }]>,
    InterfaceMethod<"What the function is asked for, by name: the unit attributes that the operation has.",
      "::llvm::SmallVector<::llvm::StringRef>", "getHostFlags", (ins), "", [{
        return ::kiln::unitAttributes($_op.getOperation());
      }]>,
  ];
}

#endif

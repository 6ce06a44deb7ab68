// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operation costs.
#ifndef KILN_INTERFACES_COST_TD
#define KILN_INTERFACES_COST_TD

include "kiln/Interfaces/Accumulation.td"
include "mlir/IR/OpBase.td"

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    The work for one element of the result, operands not counted: what it costs to compute it again
    where it is used.
  }];
  let methods = [
    InterfaceMethod<"Simple instructions (an addition is one) per element.",
      "double", "getElementOperations">,
    InterfaceMethod<"Bytes of memory read or written per element.",
      "int64_t", "getElementBytes", (ins), "", "return 0;">,
  ];
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operation on tensors counts in reports.
#ifndef KILN_INTERFACES_WORK_TD
#define KILN_INTERFACES_WORK_TD

include "mlir/IR/OpBase.td"

def WorkOpInterface : OpInterface<"WorkOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    The arithmetic that a program asks for, which reports set against time: operations for each element of
    an operand or of the result, one for an addition and for a function alike. Operations that move, select or convert
    elements count nothing. Schedules count matmuls and windows, as they know the reduced dimensions.
  }];
  let methods = [
    InterfaceMethod<"The value whose elements count, and how many operations each of them is.",
      "::kiln::Work", "getWork">,
  ];
}

#endif

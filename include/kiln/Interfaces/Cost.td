// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operation costs, and how it accumulates.
#ifndef KILN_INTERFACES_COST_TD
#define KILN_INTERFACES_COST_TD

include "mlir/IR/OpBase.td"

/// Each element of a floating-point result is an element of an operand, a negation or an absolute
/// value of one, or a constant: the operation rounds nothing.
def ExactResult : NativeOpTrait<"ExactResult"> { let cppNamespace = "::kiln"; }

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

def AccumulationOpInterface : OpInterface<"AccumulationOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    How an operation rounds and what it sums over. Operations without it round once per element;
    those with the trait ExactResult do not round.
  }];
  let methods = [
    InterfaceMethod<"What the elements of the result accumulate.",
      "::kiln::Accumulation", "getAccumulation">,
    InterfaceMethod<[{
      True if the result is a sum to which a place along the summed dimensions adds nothing where the
      elements of all operands that are read there are zero.
    }], "bool", "areZerosNeutral", (ins), "", "return false;">,
  ];
}

#endif

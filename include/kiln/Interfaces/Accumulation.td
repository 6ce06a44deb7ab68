// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an operation accumulates.
#ifndef KILN_INTERFACES_ACCUMULATION_TD
#define KILN_INTERFACES_ACCUMULATION_TD

include "kiln/Interfaces/ExactResult.td"
include "mlir/IR/OpBase.td"

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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_GPU_LAYOUTRULE_TD
#define KILN_GPU_LAYOUTRULE_TD

include "mlir/IR/OpBase.td"

def LayoutRuleOpInterface : OpInterface<"LayoutRuleOpInterface"> {
  let cppNamespace = "::kiln::simt";
  let description = [{
    Which layouts `simt-assign-layouts` gives to the tiles of an operation. Without it, an operation whose tiles have one shape
    keeps the layout of an operand; other operations take operands as they are, and their results get the usual layout of
    their shape. Accesses, products and movements of elements have rules of their own.

    A lowering of another family does not look at layouts; a plug-in implements the interface for operations whose
    lowering in registers expects certain ones.
  }];
  let methods = [
    InterfaceMethod<[{
      The layouts that the operation takes and gives. It is also asked before its operands have layouts, and must change nothing.
    }], "::kiln::simt::LayoutRule", "getLayoutRule", (ins "const ::kiln::simt::LayoutQuery &":$query)>,
  ];
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls from a program back to the process that runs it.
#ifndef KILN_DIALECT_PRIM_CALLBACKOPS_TD
#define KILN_DIALECT_PRIM_CALLBACKOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/HostOp.td"

def Prim_CallbackOp : Prim_Op<"callback", [DeclareOpInterfaceMethods<HostOpInterface, ["getHostFlags"]>]> {
  let summary = "Calls a function of the process that runs the program";
  let description = [{
    Calls the function that the process has registered under `name` (`kilnCallbackRegister` of the C interface of the runtime)
    with the operands, and gives the tensors that it writes. The host does it. A name that is not registered, or a function
    that fails, ends the call of the program with an error.

    A call has effects that the compiler does not know: it happens once for each evaluation of the operation, in the order of
    the program's other callbacks, also if no operation uses its results.

    Constraints:
    - (C1) The name is not empty.
    - (C2) The sizes of the results are static.

    Since: 0.2.

    Example: `%r = prim.callback "log"(%x) : (tensor<4xf32>) -> tensor<4xf32>`.
  }];
  let arguments = (ins StrAttr:$name, Variadic<Prim_Tensor>:$inputs);
  let results = (outs Variadic<Prim_Tensor>:$outputs);
  let assemblyFormat = "$name `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

#endif

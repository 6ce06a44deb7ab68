// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on whole tiles.
#ifndef KILN_INTERFACES_WHOLETILES_TD
#define KILN_INTERFACES_WHOLETILES_TD

include "mlir/IR/OpBase.td"

/// The operation takes its operands whole and says nothing of single elements: lowerings that its plug-in registers know
/// what it does. Its effects have to be declared.
def TakesWholeTiles : NativeOpTrait<"TakesWholeTiles"> { let cppNamespace = "::kiln"; }

#endif

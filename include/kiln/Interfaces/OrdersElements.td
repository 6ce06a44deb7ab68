// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that order elements.
#ifndef KILN_INTERFACES_ORDERSELEMENTS_TD
#define KILN_INTERFACES_ORDERSELEMENTS_TD

include "mlir/IR/OpBase.td"

/// The operation compares the elements of its tiles and moves them by their order alone: it gives the same for their
/// images under a conversion that keeps the order, such as one to a wider float type.
def OrdersElements : NativeOpTrait<"OrdersElements"> { let cppNamespace = "::kiln"; }

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that round nothing.
#ifndef KILN_INTERFACES_EXACTRESULT_TD
#define KILN_INTERFACES_EXACTRESULT_TD

include "mlir/IR/OpBase.td"

/// Each element of a floating-point result is an element of an operand, a negation or an absolute
/// value of one, or a constant: the operation rounds nothing.
def ExactResult : NativeOpTrait<"ExactResult"> { let cppNamespace = "::kiln"; }

#endif

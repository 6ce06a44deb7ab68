// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations of the simt dialect.
#ifndef KILN_GPU_SIMTENUMS_TD
#define KILN_GPU_SIMTENUMS_TD

include "mlir/IR/EnumAttr.td"

/// Memories whose accesses an operation orders.
def Simt_Memories : I32EnumAttr<"Memories", "memories of a program instance", [
  I32EnumAttrCase<"Shared", 0, "shared">, I32EnumAttrCase<"All", 1, "all">]> {
  let cppNamespace = "::kiln::simt";
}

#endif

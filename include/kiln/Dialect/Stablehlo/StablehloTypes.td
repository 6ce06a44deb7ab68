// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the stablehlo dialect that hold no data.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLOTYPES_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLOTYPES_TD

include "kiln/Dialect/Stablehlo/StablehloBase.td"
include "mlir/IR/AttrTypeBase.td"

def SH_TokenType : TypeDef<Stablehlo_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "Orders side effects";
}

def SH_FutureType : TypeDef<Stablehlo_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "Result of an operation in flight";
  let parameters = (ins OptionalArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` (`>`) : ($types^ `>`)?";
}

#endif

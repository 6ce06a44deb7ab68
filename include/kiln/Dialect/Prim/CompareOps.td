// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison and selection.
#ifndef KILN_DIALECT_PRIM_COMPAREOPS_TD
#define KILN_DIALECT_PRIM_COMPAREOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

/// Compares two tensors of the same type; the result is a tensor of i1.
class Prim_CompareOp<string mnemonic> : Prim_Op<mnemonic, [
    Pure, Elementwise, AllTypesMatch<["lhs", "rhs"]>, AllShapesMatch<["lhs", "result"]>]> {
  let arguments = (ins Prim_Tensor:$lhs, Prim_Tensor:$rhs);
  let results = (outs Prim_BoolTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasFolder = 1;
}

/// The same, of integers that are signed or, with a flag, unsigned.
class Prim_OrderOp<string mnemonic> : Prim_CompareOp<mnemonic> {
  let arguments = (ins Prim_Tensor:$lhs, Prim_Tensor:$rhs, UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    $lhs `,` $rhs (`unsigned` $is_unsigned^)? attr-dict `:` type($lhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Prim_EqOp : Prim_CompareOp<"eq"> {
  let summary = "a == b";
  let description = [{
    a == b; false if either is NaN.
    Example: `%r = prim.eq %a, %b : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_NeOp : Prim_CompareOp<"ne"> {
  let summary = "a != b";
  let description = [{
    a != b; true if either is NaN.
    Example: `%r = prim.ne %a, %b : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_LtOp : Prim_OrderOp<"lt"> {
  let summary = "a < b";
  let description = [{
    a < b; false if either is NaN. Integers are signed, or unsigned with `unsigned`; i1 is
    false < true.

    Constraints:
    - (C1) `unsigned` is for integers of more than one bit.

    Example: `%r = prim.lt %a, %b : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_LeOp : Prim_OrderOp<"le"> {
  let summary = "a <= b";
  let description = [{
    a <= b; false if either is NaN. Integers are signed, or unsigned with `unsigned`; i1 is
    false < true.

    Constraints:
    - (C1) `unsigned` is for integers of more than one bit.

    Example: `%r = prim.le %a, %b : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_GtOp : Prim_OrderOp<"gt"> {
  let summary = "a > b";
  let description = [{
    a > b; false if either is NaN. Integers are signed, or unsigned with `unsigned`; i1 is
    false < true.

    Constraints:
    - (C1) `unsigned` is for integers of more than one bit.

    Example: `%r = prim.gt %a, %b : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_GeOp : Prim_OrderOp<"ge"> {
  let summary = "a >= b";
  let description = [{
    a >= b; false if either is NaN. Integers are signed, or unsigned with `unsigned`; i1 is
    false < true.

    Constraints:
    - (C1) `unsigned` is for integers of more than one bit.

    Example: `%r = prim.ge %a, %b : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_WhereOp : Prim_Op<"where", [Pure, ExactResult, Elementwise, AllTypesMatch<["on_true", "on_false", "result"]>,
    AllShapesMatch<["condition", "result"]>]> {
  let summary = "Chooses between two tensors, element by element";
  let description = [{
    on_true where condition holds, else on_false.
    Example: `%r = prim.where %c, %a, %b : tensor<4xi1>, tensor<4xf32>`.
  }];
  let arguments = (ins Prim_BoolTensor:$condition, Prim_Tensor:$on_true, Prim_Tensor:$on_false);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($result)";
  let hasFolder = 1;
}

#endif

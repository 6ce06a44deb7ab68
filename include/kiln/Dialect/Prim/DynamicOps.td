// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors at places that are computed, and sizes as data.
#ifndef KILN_DIALECT_PRIM_DYNAMICOPS_TD
#define KILN_DIALECT_PRIM_DYNAMICOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

def Prim_DynamicSliceOp : Prim_Op<"dynamic_slice", [Pure, ExactResult, AttrSizedOperandSegments]> {
  let summary = "A part of a tensor that starts at a computed place";
  let description = [{
    result[i...] = operand[start + i...]. A start is read as signed and clamped to
    [0, size of the operand - size of the result]. `sizes` are the `?` of the result, in order.
    Composite: `gather` along the dimensions in which the result is smaller than the operand.

    Constraints:
    - (C1) There is one size for each `?` of the result.
    - (C2) There is one start for each dimension, of rank 0.
    - (C3) Operand and result have the same element type and rank.
    - (C4) The result is in no dimension larger than the operand.

    Example: `%r = prim.dynamic_slice %x starts (%i, %j) : tensor<4x8xf32>, tensor<i32>, tensor<i32> -> tensor<2x3xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, Variadic<Prim_IntTensor>:$starts, Variadic<Index>:$sizes);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = [{
    $operand (`starts` `(` $starts^ `)`)? (`sizes` `(` $sizes^ `)`)? attr-dict
    `:` type($operand) (`,` type($starts)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Prim_DynamicUpdateSliceOp : Prim_Op<"dynamic_update_slice", [
    Pure, ExactResult, AllTypesMatch<["operand", "result"]>]> {
  let summary = "A tensor with a part replaced that starts at a computed place";
  let description = [{
    result[start + i...] = update[i...], and the operand elsewhere. A start is read as signed and
    clamped to [0, size of the operand - size of the update]. Composite: `scatter` of one window.
    Where the operand is not used otherwise, its memory becomes that of the result.

    Constraints:
    - (C1) There is one start for each dimension, of rank 0.
    - (C2) Operand and update have the same element type and rank.
    - (C3) The update is in no dimension larger than the operand.

    Example: `%r = prim.dynamic_update_slice %x, %u starts (%i, %j) : tensor<4x8xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, Prim_Tensor:$update, Variadic<Prim_IntTensor>:$starts);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $update (`starts` `(` $starts^ `)`)? attr-dict `:` type($operand) `,` type($update) (`,` type($starts)^)?
  }];
  let hasVerifier = 1;
}

def Prim_FromIndexOp : Prim_Op<"from_index", [Pure]> {
  let summary = "An index value as a tensor";
  let description = [{
    The value of rank 0; it wraps where it does not fit. For computing with sizes.

    Constraints:
    - (C1) The result has rank 0.

    Example: `%r = prim.from_index %n : tensor<i64>`.
  }];
  let arguments = (ins Index:$value);
  let results = (outs Prim_IntTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Prim_ToIndexOp : Prim_Op<"to_index", [Pure]> {
  let summary = "A number of a tensor as an index value";
  let description = [{
    The element, read as signed. For sizes that are data: the host waits for it, and what has such a size is computed
    after. A size that is negative stops the program.

    Constraints:
    - (C1) The operand has rank 0.

    Since: 0.2.

    Example: `%n = prim.to_index %count : tensor<i32>`.
  }];
  let arguments = (ins Prim_IntTensor:$operand);
  let results = (outs Index:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif

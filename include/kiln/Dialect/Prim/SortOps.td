// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting: sort, argsort, top_k.
#ifndef KILN_DIALECT_PRIM_SORTOPS_TD
#define KILN_DIALECT_PRIM_SORTOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

def Prim_SortOp : Prim_Op<"sort", [Pure, ExactResult, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Sorts tensors together along a dimension";
  let description = [{
    Permutes all operands in the same way along `dim`. The first `keys` operands are the keys; afterwards they are in
    ascending lexicographic order, or in descending order with `descending`. The sort is stable: elements with equal keys keep
    their order.

    - Floats: all NaNs are equal and larger than every number, and -0 equals 0. With `total_order` floats follow IEEE
      754 totalOrder (-NaN, -inf, ..., -0, 0, ..., inf, NaN).
    - Integers are compared as signed, or as unsigned with `unsigned`. i1: false is smaller than true.

    The result is exact. Composite: `argsort` and a `gather` for each operand.

    Constraints:
    - (C1) There is at least one operand.
    - (C2) `dim` is a dimension of the operands.
    - (C3) `keys` is from 1 to the number of operands.
    - (C4) Operands have one shape.
    - (C5) There is a result for each operand, of its type.

    Example: `%k, %v = prim.sort %a, %b dim 1 keys 1 : tensor<4x8xf32>, tensor<4x8xi32>`.
  }];
  let arguments = (ins Variadic<Prim_Tensor>:$operands, I64Attr:$dim, I64Attr:$keys, UnitAttr:$descending,
    UnitAttr:$total_order, UnitAttr:$unsigned_order);
  let results = (outs Variadic<Prim_Tensor>:$results);
  let assemblyFormat = [{
    $operands `dim` $dim `keys` $keys (`descending` $descending^)? (`total_order` $total_order^)?
    (`unsigned` $unsigned_order^)? attr-dict `:` type($operands)
  }];
  let hasVerifier = 1;
}

def Prim_ArgsortOp : Prim_Op<"argsort", [Pure, ExactResult]> {
  let summary = "The permutation that sorts along a dimension";
  let description = [{
    result[i] is the index along `dim` of the element that a `prim.sort` with all operands as keys moves to i. Order, stability and
    flags are those of `prim.sort`.

    Constraints:
    - (C1) There is at least one operand.
    - (C2) `dim` is a dimension of the operands.
    - (C3) Operands have one shape, which is that of the result.
    - (C4) The result has element type i32 or i64.

    Example: `%p = prim.argsort %a dim 1 descending : tensor<4x8xf32> -> tensor<4x8xi32>`.
  }];
  let arguments = (ins Variadic<Prim_Tensor>:$operands, I64Attr:$dim, UnitAttr:$descending,
    UnitAttr:$total_order, UnitAttr:$unsigned_order);
  let results = (outs Prim_IntTensor:$result);
  let assemblyFormat = [{
    $operands `dim` $dim (`descending` $descending^)? (`total_order` $total_order^)?
    (`unsigned` $unsigned_order^)? attr-dict `:` type($operands) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Prim_TopKOp : Prim_Op<"top_k", [Pure, ExactResult]> {
  let summary = "The largest elements along a dimension, and their indices";
  let description = [{
    Returns the `k` largest elements along `dim` and their indices in the operand, in the order of `prim.sort` with `descending`: largest
    first, of equal elements the one with the lower index first, NaN larger than every number. With `smallest` it
    returns the `k` smallest, smallest first. Composite: `argsort`, `slice` and `gather`.

    Constraints:
    - (C1) `dim` is a dimension of the operand.
    - (C2) 0 <= k <= size of the dimension.
    - (C3) Values have the element type of the operand, indices i32 or i64.
    - (C4) Both have the shape of the operand with `k` elements along `dim`.

    Example: `%v, %i = prim.top_k %x k 2 dim 1 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, I64Attr:$k, I64Attr:$dim, UnitAttr:$smallest, UnitAttr:$unsigned_order);
  let results = (outs Prim_Tensor:$values, Prim_IntTensor:$indices);
  let assemblyFormat = [{
    $operand `k` $k `dim` $dim (`smallest` $smallest^)? (`unsigned` $unsigned_order^)? attr-dict
    `:` type($operand) `->` type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Combinations of everything up to each element.
#ifndef KILN_DIALECT_PRIM_SCANOPS_TD
#define KILN_DIALECT_PRIM_SCANOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/Accumulation.td"

def Prim_ScanOp : Prim_Op<"scan", [Pure, AllTypesMatch<["operand", "result"]>,
    DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Prefix scan along a dimension: cumsum, cumprod, cummax, cummin, logcumsumexp";
  let description = [{
    result[i] = operand[0] combined with ... and operand[i], along `dim`. With `reverse` it combines from the
    last element down to i. With `exclusive` it leaves out operand[i] itself, so that the first result is the neutral
    value of `kind`:

    | `kind` | combines by | neutral value |
    |---|---|---|
    | `sum` | addition | 0 |
    | `prod` | multiplication | 1 |
    | `max` | maximum; a NaN makes all later results NaN | minus infinity, or the smallest value of the type |
    | `min` | minimum; NaN as for `max` | infinity, or the largest value of the type |
    | `logsumexp` | log of the sum of exp | minus infinity |

    Integers wrap and are signed. Sums and products of floats are accumulated in f32 or
    wider, in any grouping: |error| <= c * n * eps * sum |x| of the prefix, or |product|.
    logsumexp: |error| <= c * n * eps * (1 + |result|).

    Constraints:
    - (C1) `dim` is a dimension of the operand.
    - (C2) `logsumexp` is for floats.

    Example: `%r = prim.scan sum %x dim 1 reverse : tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_ScanKind:$kind, Prim_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$reverse, UnitAttr:$exclusive);
  let results = (outs Prim_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $operand `dim` $dim (`reverse` $reverse^)? (`exclusive` $exclusive^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Prim_ArgScanOp : Prim_Op<"arg_scan", [Pure]> {
  let summary = "Index of the largest or smallest element up to each one";
  let description = [{
    result[i] is the index of the largest (`max`) or smallest (`min`) of operand[0] to operand[i]
    along `dim`, the last of equals; a NaN is larger and smaller than every number, and the last NaN counts. With
    `reverse` of operand[i] to the last element, and of equals the first. Integers are signed.

    Constraints:
    - (C1) `dim` is a dimension of the operand.
    - (C2) `kind` is `max` or `min`.
    - (C3) The result has element type i32 or i64 and the shape of the operand.

    Example: `%r = prim.arg_scan max %x dim 1 : tensor<4x8xf32> -> tensor<4x8xi64>`.
  }];
  let arguments = (ins Prim_ScanKind:$kind, Prim_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$reverse);
  let results = (outs Prim_IntTensor:$result);
  let assemblyFormat = "$kind $operand `dim` $dim (`reverse` $reverse^)? attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

#endif

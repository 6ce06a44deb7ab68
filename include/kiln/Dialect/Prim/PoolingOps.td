// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling over windows.
#ifndef KILN_DIALECT_PRIM_POOLINGOPS_TD
#define KILN_DIALECT_PRIM_POOLINGOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/Accumulation.td"

/// Slides a window over the spatial dimensions of [N, spatial..., C].
class Prim_PoolOp<string mnemonic, list<Trait> traits = []> : Prim_Op<mnemonic, !listconcat([Pure], traits)> {
  let arguments = (ins Prim_NumberTensor:$input, DenseI64ArrayAttr:$window,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high);
  let results = (outs Prim_NumberTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Prim_MaxPoolOp : Prim_PoolOp<"max_pool", [ExactResult]> {
  let summary = "Largest element of each window";
  let description = [{
    Elements outside of the input do not take part; NaN wins. Same element type. Integers are signed.
    Size of a spatial dimension: floor((in + pad_low + pad_high - window) / stride) + 1.

    Constraints:
    - (C1) The input has rank 2 or more.
    - (C2) There is one window size, stride and pad for each spatial dimension; pads are >= 0, the others
      >= 1.
    - (C3) Input and result have the same element type.
    - (C4) The window fits into the padded input.
    - (C5) The result has the shape of the formula.
    - (C6) Pads are smaller than the window.

    Example:
    ```mlir
    %r = prim.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>,
      pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
    ```
  }];
}

def Prim_SumPoolOp : Prim_PoolOp<"sum_pool", [DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Sum of each window";
  let description = [{
    Elements outside of the input count as 0. Floats are added in f32 or wider in any order; integers wrap. Same element type.
    Size of a spatial dimension: floor((in + pad_low + pad_high - window) / stride) + 1.

    Constraints:
    - (C1) The input has rank 2 or more.
    - (C2) There is one window size, stride and pad for each spatial dimension; pads are >= 0, the others
      >= 1.
    - (C3) Input and result have the same element type.
    - (C4) The window fits into the padded input.
    - (C5) The result has the shape of the formula.

    Example:
    ```mlir
    %r = prim.sum_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>,
      pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
    ```
  }];
}

def Prim_AvgPoolOp : Prim_PoolOp<"avg_pool", [DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Mean of each window";
  let description = [{
    Composite: `sum_pool` divided by the number of elements of the window that lie inside of the input. Floats only.
    Size of a spatial dimension: floor((in + pad_low + pad_high - window) / stride) + 1.

    Constraints:
    - (C1) The input has rank 2 or more.
    - (C2) There is one window size, stride and pad for each spatial dimension; pads are >= 0, the others
      >= 1.
    - (C3) Input and result have the same element type.
    - (C4) The window fits into the padded input.
    - (C5) The result has the shape of the formula.
    - (C6) Pads are smaller than the window.
    - (C7) The element type is a float.

    Example:
    ```mlir
    %r = prim.avg_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>,
      pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>} : tensor<1x8x8x4xf32> -> tensor<1x4x4x4xf32>
    ```
  }];
}


#endif

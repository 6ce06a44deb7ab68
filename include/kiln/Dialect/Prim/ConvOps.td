// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution.
#ifndef KILN_DIALECT_PRIM_CONVOPS_TD
#define KILN_DIALECT_PRIM_CONVOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/Accumulation.td"

def Prim_ConvOp : Prim_Op<"conv", [Pure, DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Convolution over any number of spatial dimensions";
  let description = [{
    input: [N, spatial..., C]; filter: [O, window..., C / groups]; result: [N, spatial..., O].
    result[n, p..., o] = sum over w..., c of
      input[n, p * stride - pad_low + w * dilation, g * C/groups + c] * filter[o, w..., c], with g = o / (O / groups).
    The input is zero outside of its bounds. With `input_dilation` d > 1 the input is first
    spread: d - 1 zeros between neighbours (transposed convolution). The result's element type is
    the type of the sum, as for `prim.dot_general`, and so are its error and what `precision tf32` allows.
    Size of a spatial dimension of the result:
    floor(((in - 1) * input_dilation + 1 + pad_low + pad_high - ((window - 1) * dilation + 1)) / stride) + 1.

    Constraints:
    - (C1) Input and filter have the same rank, at least 2.
    - (C2) There is one stride, pad and dilation for each spatial dimension; pads are >= 0, the others
      >= 1.
    - (C3) groups >= 1, and the number of filters is a multiple of it.
    - (C4) The filters have C / groups channels.
    - (C5) Element types are as for `prim.dot_general`, C4.
    - (C6) The window has a static size, at least 1, and fits into the padded input.
    - (C7) The result has the shape of the formula.
    - (C8) `tf32` is for f32 operands.

    Example:
    ```mlir
    %r = prim.conv %x, %w {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>,
      pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>,
      groups = 1 : i64} : tensor<1x8x8x16xf32>, tensor<32x3x3x16xf32> -> tensor<1x8x8x32xf32>
    ```
  }];
  let arguments = (ins Prim_NumberTensor:$input, Prim_NumberTensor:$filter,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
    DenseI64ArrayAttr:$dilation, DenseI64ArrayAttr:$input_dilation, I64Attr:$groups,
    DefaultValuedAttr<Prim_Precision, "::kiln::prim::Precision::ieee">:$precision);
  let results = (outs Prim_NumberTensor:$result);
  let assemblyFormat = [{
    $input `,` $filter (`precision` $precision^)? attr-dict `:` type($input) `,` type($filter) `->` type($result)
  }];
  let useCustomPropertiesEncoding = 1;
  let hasVerifier = 1;
}

#endif

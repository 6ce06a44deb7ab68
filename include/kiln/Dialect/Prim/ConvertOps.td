// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of element types.
#ifndef KILN_DIALECT_PRIM_CONVERTOPS_TD
#define KILN_DIALECT_PRIM_CONVERTOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

def Prim_ConvertElementTypeOp : Prim_Op<"convert_element_type", [Pure, Elementwise, AllShapesMatch<["operand", "result"]>]> {
  let summary = "Converts every element to another type";
  let description = [{
    Float to float: rounded to nearest, ties to even; overflow gives infinity, in types without it
    NaN, in types without either the largest number of its sign. NaN gives 0 in types without it. Integer
    to float: rounded to nearest, ties to even. Float to integer: rounded towards zero,
    or to nearest with ties to even if `round`, then saturated to the range of the
    result; NaN gives 0. Integer to integer: sign-extended or truncated. To i1: x != 0.
    From i1: 0 or 1. `from_unsigned` and `to_unsigned` read or produce unsigned
    integers.

    Constraints:
    - (C1) Operand and result have the same shape.
    - (C2) `round` is for float to integer.
    - (C3) `from_unsigned` is for integer operands.
    - (C4) `to_unsigned` is for integer results.

    Example: `%r = prim.convert_element_type %x : tensor<4xf32> -> tensor<4xbf16>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, UnitAttr:$round, UnitAttr:$from_unsigned, UnitAttr:$to_unsigned);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = [{
    $operand (`round` $round^)? (`from_unsigned` $from_unsigned^)? (`to_unsigned` $to_unsigned^)?
    attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Prim_BitcastOp : Prim_Op<"bitcast", [Pure, ExactResult, Elementwise, AllShapesMatch<["operand", "result"]>]> {
  let summary = "Reads the bits of every element as another type";
  let description = [{
    Constraints:
    - (C1) Both element types have the same width, of more than one bit.

    Since: 0.2.

    Example: `%r = prim.bitcast %x : tensor<4xf32> -> tensor<4xi32>`.
  }];
  let arguments = (ins Prim_NumberTensor:$operand);
  let results = (outs Prim_NumberTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Prim_BitcastConvertOp : Prim_Op<"bitcast_convert", [Pure, ExactResult]> {
  let summary = "Reads the bits of elements as those of narrower or wider ones";
  let description = [{
    A narrower result has the parts of each element in one more dimension, the last one; a wider one makes an element
    of the parts along the operand's last dimension. The lowest bits come first. A composite of `prim.bitcast`, shifts
    and a sum.

    Constraints:
    - (C1) The shapes are equal for element types of one width; else that of the narrower type has one more dimension
      at the end, of the ratio of the widths.
    - (C2) Types narrower than a byte go with types of their own width only.

    Since: 0.2.

    Example: `%r = prim.bitcast_convert %x : tensor<4xf64> -> tensor<4x2xi32>`.
  }];
  let arguments = (ins Prim_NumberTensor:$operand);
  let results = (outs Prim_NumberTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Prim_RescaleOp : Prim_Op<"rescale", [Pure, AllShapesMatch<["operand", "result"]>]> {
  let summary = "Scales integers by a fixed-point multiplier";
  let description = [{
    TOSA RESCALE. v = operand - input_zp in 64 bits (the operand is unsigned with
    `input_unsigned`); result = apply_scale(v, multiplier, shift) + output_zp, clamped to the
    result type (its unsigned range with `output_unsigned`). Exact.

    apply_scale(v, m, s): round = 1 << (s - 1); with `double` rounding and s > 31,
    round grows by 1 << 30 for v >= 0 and shrinks by 1 << 30 for v < 0; the result is
    (v * m + round) >> s, arithmetic, in 64 bits. `single` has no such adjustment.
    `scale32` says that multipliers have 32 bits, otherwise they have 16.
    With one multiplier it applies to all elements; otherwise there is one per index of
    the last dimension (per channel).

    Constraints:
    - (C1) Operand and result have the same shape.
    - (C2) There are as many shifts as multipliers.
    - (C3) There is one multiplier, or one for each index of the last dimension.
    - (C4) 2 <= shift <= 62.
    - (C5) 0 <= multiplier < 2^31 with `scale32`, else < 2^15.
    - (C6) `double` rounding needs `scale32`.

    Example:
    ```mlir
    %r = prim.rescale %x {multiplier = array<i32: 1073741824>, shift = array<i8: 30>,
      input_zp = -3 : i32, output_zp = 0 : i32, scale32} : tensor<4xi8> -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Prim_IntTensor:$operand, DenseI32ArrayAttr:$multiplier,
    DenseI8ArrayAttr:$shift, I32Attr:$input_zp, I32Attr:$output_zp,
    DefaultValuedAttr<Prim_Rounding, "::kiln::prim::Rounding::single">:$rounding,
    UnitAttr:$scale32, UnitAttr:$input_unsigned, UnitAttr:$output_unsigned);
  let results = (outs Prim_IntTensor:$result);
  let assemblyFormat = "$operand (`rounding` $rounding^)? attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Prim_TableOp : Prim_Op<"table", [Pure, AllShapesMatch<["operand", "result"]>]> {
  let summary = "Looks every element up in a table";
  let description = [{
    TOSA TABLE. i8: 256 entries of i8, result = table[operand + 128]. i16: 513 entries
    of i16, result i32: value = operand + 32768; index = value >> 7; fraction = value &
    0x7f; result = (table[index] << 7) + (table[index + 1] - table[index]) * fraction.

    Constraints:
    - (C1) Operand and result have the same shape.
    - (C2) The operand is i8 or i16.
    - (C3) The table has the operand's type and 256 or 513 entries.
    - (C4) The result is i8 for i8 and i32 for i16.

    Example: `%r = prim.table %x, %t : tensor<4xi8>, tensor<256xi8> -> tensor<4xi8>`.
  }];
  let arguments = (ins Prim_IntTensor:$operand, Prim_IntTensor:$table);
  let results = (outs Prim_IntTensor:$result);
  let assemblyFormat = "$operand `,` $table attr-dict `:` type($operand) `,` type($table) `->` type($result)";
  let hasVerifier = 1;
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What floats are made of: classes, signs, neighbours, precision.
#ifndef KILN_DIALECT_PRIM_REALOPS_TD
#define KILN_DIALECT_PRIM_REALOPS_TD

include "kiln/Dialect/Prim/ElementwiseBase.td"

/// A test of one float; the result is a tensor of i1.
class Prim_TestOp<string mnemonic> : Prim_Op<mnemonic, [Pure, Elementwise, AllShapesMatch<["operand", "result"]>]> {
  let arguments = (ins Prim_FloatTensor:$operand);
  let results = (outs Prim_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasFolder = 1;
}

def Prim_IsNanOp : Prim_TestOp<"isnan"> {
  let summary = "Whether a float is not a number";
  let description = [{
    Exact.

    Since: 0.2.

    Example: `%r = prim.isnan %x : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_IsInfOp : Prim_TestOp<"isinf"> {
  let summary = "Whether a float is an infinity";
  let description = [{
    True for both infinities, false for NaN. Exact.

    Since: 0.2.

    Example: `%r = prim.isinf %x : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_IsFiniteOp : Prim_TestOp<"isfinite"> {
  let summary = "Whether a float is neither an infinity nor NaN";
  let description = [{
    Exact.

    Since: 0.2.

    Example: `%r = prim.isfinite %x : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_SignbitOp : Prim_TestOp<"signbit"> {
  let summary = "Whether the sign of a float is set";
  let description = [{
    The sign bit, that of zeros and of NaN, too. Exact.

    Since: 0.2.

    Example: `%r = prim.signbit %x : tensor<4xf32> -> tensor<4xi1>`.
  }];
}

def Prim_RoundHalfAwayOp : Prim_UnaryOp<"round_half_away", Prim_FloatTensor> {
  let summary = "Rounds to the nearest integer, ties away from zero";
  let description = [{
    Exact; keeps the sign of zero. `prim.round` rounds ties to even.

    Since: 0.2.

    Example: `%r = prim.round_half_away %x : tensor<4x8xf32>`.
  }];
}

def Prim_CopysignOp : Prim_BinaryOp<"copysign", Prim_FloatTensor> {
  let summary = "The magnitude of one float with the sign of another";
  let description = [{
    The bits of a with the sign bit of b, those of NaN and zeros, too.

    Since: 0.2.

    Example: `%r = prim.copysign %a, %b : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_NextafterOp : Prim_BinaryOp<"nextafter", Prim_WideFloatTensor> {
  let summary = "The neighbour of a float towards another";
  let description = [{
    The next number of the element type after a in the direction of b; b where they are equal. Beyond the
    largest number lies infinity, beside zero the smallest subnormal number. Exact.

    Since: 0.2.

    Example: `%r = prim.nextafter %a, %b : tensor<4x8xf32>`.
  }];
}

def Prim_FmaOp : Prim_Op<"fma", [Pure, Elementwise, AllTypesMatch<["a", "b", "c", "result"]>]> {
  let summary = "Product and sum, rounded once";
  let description = [{
    a * b + c. f32 and f64: the product is not rounded. f16 and bf16: computed so in f32, then rounded once more.

    Since: 0.2.

    Example: `%r = prim.fma %a, %b, %c : tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_FloatTensor:$a, Prim_FloatTensor:$b, Prim_FloatTensor:$c);
  let results = (outs Prim_FloatTensor:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Prim_ReducePrecisionOp : Prim_Op<"reduce_precision", [
    Pure, Elementwise, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Rounds to a format with fewer bits, and back";
  let description = [{
    The value that a format of IEEE 754's kind with `exponent_bits` and `mantissa_bits` has nearest to the operand,
    ties to even: beyond its largest number infinity, below its smallest normal number a zero, both of the operand's
    sign. A format that is no narrower than the element type in the exponent keeps the type's subnormal numbers; NaN
    stays.

    Constraints:
    - (C1) 1 <= `exponent_bits`, 0 <= `mantissa_bits`.

    Since: 0.2.

    Example: `%r = prim.reduce_precision %x exponent 5 mantissa 10 : tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_WideFloatTensor:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs Prim_WideFloatTensor:$result);
  let assemblyFormat = "$operand `exponent` $exponent_bits `mantissa` $mantissa_bits attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise arithmetic, functions and bits.
#ifndef KILN_DIALECT_PRIM_ELEMENTWISEOPS_TD
#define KILN_DIALECT_PRIM_ELEMENTWISEOPS_TD

include "kiln/Dialect/Prim/ElementwiseBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Prim_AbsOp : Prim_UnaryOp<"abs", Prim_NumberTensor, [ExactResult]> {
  let summary = "Absolute value";
  let description = [{
    Clears the sign; the smallest integer maps to itself.
    Example: `%r = prim.abs %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_NegOp : Prim_UnaryOp<"neg", Prim_NumberTensor, [ExactResult]> {
  let summary = "Negation";
  let description = [{
    Flips the sign; integers wrap.
    Example: `%r = prim.neg %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_CeilOp : Prim_UnaryOp<"ceil", Prim_FloatTensor> {
  let summary = "Rounds towards plus infinity";
  let description = [{
    Exact; keeps the sign of zero.
    Example: `%r = prim.ceil %x : tensor<4x8xf32>`.
  }];
}

def Prim_FloorOp : Prim_UnaryOp<"floor", Prim_FloatTensor> {
  let summary = "Rounds towards minus infinity";
  let description = [{
    Exact; keeps the sign of zero.
    Example: `%r = prim.floor %x : tensor<4x8xf32>`.
  }];
}

def Prim_RoundOp : Prim_UnaryOp<"round", Prim_FloatTensor> {
  let summary = "Rounds to the nearest integer, ties to even";
  let description = [{
    Exact; keeps the sign of zero.
    Example: `%r = prim.round %x : tensor<4x8xf32>`.
  }];
}

def Prim_TruncOp : Prim_UnaryOp<"trunc", Prim_FloatTensor> {
  let summary = "Rounds towards zero";
  let description = [{
    Exact; keeps the sign of zero.
    Example: `%r = prim.trunc %x : tensor<4x8xf32>`.
  }];
}

def Prim_SignOp : Prim_UnaryOp<"sign", Prim_NumberTensor> {
  let summary = "-1, 0 or 1";
  let description = [{
    NaN maps to NaN, zero to itself.
    Example: `%r = prim.sign %x : tensor<4x8xf32>`.
  }];
}

def Prim_ExpOp : Prim_UnaryOp<"exp", Prim_FloatTensor> {
  let summary = "e to the x";
  let description = [{
    Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.exp %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_Exp2Op : Prim_UnaryOp<"exp2", Prim_FloatTensor> {
  let summary = "2 to the x";
  let description = [{
    Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.exp2 %x : tensor<4x8xf32>`.
  }];
}

def Prim_Expm1Op : Prim_UnaryOp<"expm1", Prim_FloatTensor> {
  let summary = "exp(x) - 1 without cancellation";
  let description = [{
    Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.expm1 %x : tensor<4x8xf32>`.
  }];
}

def Prim_LogOp : Prim_UnaryOp<"log", Prim_FloatTensor> {
  let summary = "Natural logarithm";
  let description = [{
    Negative operands give NaN, zero gives minus infinity. Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.log %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_Log1pOp : Prim_UnaryOp<"log1p", Prim_FloatTensor> {
  let summary = "log(1 + x) without cancellation";
  let description = [{
    Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.log1p %x : tensor<4x8xf32>`.
  }];
}

def Prim_SinOp : Prim_UnaryOp<"sin", Prim_FloatTensor> {
  let summary = "Sine of radians";
  let description = [{
    Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.sin %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_CosOp : Prim_UnaryOp<"cos", Prim_FloatTensor> {
  let summary = "Cosine of radians";
  let description = [{
    Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.cos %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_TanhOp : Prim_UnaryOp<"tanh", Prim_FloatTensor> {
  let summary = "Hyperbolic tangent";
  let description = [{
    Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.tanh %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_ErfOp : Prim_UnaryOp<"erf", Prim_FloatTensor> {
  let summary = "Error function";
  let description = [{
    Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.erf %x : tensor<4x8xf32>`.
  }];
}

def Prim_SqrtOp : Prim_UnaryOp<"sqrt", Prim_FloatTensor> {
  let summary = "Square root";
  let description = [{
    IEEE 754 squareRoot; negative operands give NaN.
    Example: `%r = prim.sqrt %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_RsqrtOp : Prim_UnaryOp<"rsqrt", Prim_FloatTensor> {
  let summary = "1 / sqrt(x)";
  let description = [{
    Correctly rounded by `reference` up to f32; the others keep the bound that `docs/numerics.md` states for the function.
    Example: `%r = prim.rsqrt %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_ReciprocalOp : Prim_UnaryOp<"reciprocal", Prim_FloatTensor> {
  let summary = "1 / x";
  let description = [{
    IEEE 754 division; zero gives infinity of its sign.
    Example: `%r = prim.reciprocal %x : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_AddOp : Prim_BinaryOp<"add", Prim_NumberTensor, [Commutative]> {
  let summary = "Sum";
  let description = [{
    IEEE 754 addition; integers wrap.
    Example: `%r = prim.add %a, %b : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_SubOp : Prim_BinaryOp<"sub", Prim_NumberTensor> {
  let summary = "Difference";
  let description = [{
    IEEE 754 subtraction; integers wrap.
    Example: `%r = prim.sub %a, %b : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_MulOp : Prim_BinaryOp<"mul", Prim_NumberTensor, [Commutative]> {
  let summary = "Product";
  let description = [{
    IEEE 754 multiplication; integers wrap.
    Example: `%r = prim.mul %a, %b : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_DivOp : Prim_SignedBinaryOp<"div", Prim_NumberTensor> {
  let summary = "Quotient";
  let description = [{
    IEEE 754 division. Integers are signed, or unsigned with `unsigned`: rounded towards zero; division by zero and the
    smallest signed value by -1 give an unspecified value and do not trap.

    Constraints:
    - (C1) `unsigned` is for integers of more than one bit.

    Example: `%r = prim.div %a, %b : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_RemainderOp : Prim_SignedBinaryOp<"remainder", Prim_NumberTensor> {
  let summary = "Remainder with the sign of the divisor";
  let description = [{
    a - b * floor(a / b). Integers are signed, or unsigned with `unsigned`; division by zero gives an unspecified value.

    Constraints:
    - (C1) `unsigned` is for integers of more than one bit.

    Example: `%r = prim.remainder %a, %b : tensor<4x8xf32>`.
  }];
}

def Prim_FmodOp : Prim_SignedBinaryOp<"fmod", Prim_NumberTensor> {
  let summary = "Remainder with the sign of the dividend";
  let description = [{
    a - b * trunc(a / b), exact for floats (C fmod). Integers are signed, or unsigned
    with `unsigned`; division by zero gives an unspecified value.

    Constraints:
    - (C1) `unsigned` is for integers of more than one bit.

    Example: `%r = prim.fmod %a, %b : tensor<4x8xf32>`.
  }];
}

def Prim_PowOp : Prim_BinaryOp<"pow", Prim_NumberTensor> {
  let summary = "a to the b";
  let description = [{
    C pow for floats. Integers: repeated multiplication that wraps; a negative exponent gives the truncated quotient.
    Example: `%r = prim.pow %a, %b : tensor<4x8xf32>`.
  }];
  let hasCanonicalizeMethod = 1;
}

def Prim_MaximumOp : Prim_SignedBinaryOp<"maximum", Prim_Tensor, [Commutative, ExactResult]> {
  let summary = "Larger operand, NaN wins";
  let description = [{
    IEEE 754-2019 maximum: NaN if an operand is NaN, +0 > -0. Integers are signed, or unsigned with `unsigned`; i1: or.

    Constraints:
    - (C1) `unsigned` is for integers of more than one bit.

    Example: `%r = prim.maximum %a, %b : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_MinimumOp : Prim_SignedBinaryOp<"minimum", Prim_Tensor, [Commutative, ExactResult]> {
  let summary = "Smaller operand, NaN wins";
  let description = [{
    IEEE 754-2019 minimum: NaN if an operand is NaN, -0 < +0. Integers are signed, or unsigned with `unsigned`; i1: and.

    Constraints:
    - (C1) `unsigned` is for integers of more than one bit.

    Example: `%r = prim.minimum %a, %b : tensor<4x8xf32>`.
  }];
  let hasFolder = 1;
}

def Prim_FmaxOp : Prim_BinaryOp<"fmax", Prim_FloatTensor, [Commutative]> {
  let summary = "Larger operand, NaN loses";
  let description = [{
    IEEE 754-2019 maximumNumber: the other operand if one is NaN.
    Example: `%r = prim.fmax %a, %b : tensor<4x8xf32>`.
  }];
}

def Prim_FminOp : Prim_BinaryOp<"fmin", Prim_FloatTensor, [Commutative]> {
  let summary = "Smaller operand, NaN loses";
  let description = [{
    IEEE 754-2019 minimumNumber: the other operand if one is NaN.
    Example: `%r = prim.fmin %a, %b : tensor<4x8xf32>`.
  }];
}

def Prim_GcdOp : Prim_BinaryOp<"gcd", Prim_IntTensor, [Commutative]> {
  let summary = "Greatest common divisor";
  let description = [{
    The largest integer that divides both magnitudes; that of 0 and x is |x|. It is not negative, but that the
    magnitude of the smallest value wraps to itself.

    Since: 0.2.

    Example: `%r = prim.gcd %a, %b : tensor<4x8xi32>`.
  }];
  let hasFolder = 1;
}

def Prim_ClampOp : Prim_Op<"clamp", [Pure, ExactResult, Elementwise, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Limits values to a range";
  let description = [{
    min(max(x, min), max) in the operand's type. NaN stays NaN, or becomes `min` with `ignore_nan`.
    Integers are signed, or unsigned with `unsigned`. Exact.

    Constraints:
    - (C1) `min` and `max` are numbers of the element type.
    - (C2) min <= max, neither is NaN; `unsigned` is for integers, `ignore_nan` for floats.

    Example: `%r = prim.clamp %x min 0.0 : f32 max 6.0 : f32 : tensor<4xf32>`.
  }];
  let arguments = (ins Prim_NumberTensor:$operand, TypedAttrInterface:$min, TypedAttrInterface:$max,
                       UnitAttr:$ignore_nan, UnitAttr:$is_unsigned);
  let results = (outs Prim_NumberTensor:$result);
  let assemblyFormat = [{
    $operand `min` $min `max` $max (`ignore_nan` $ignore_nan^)? (`unsigned` $is_unsigned^)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif

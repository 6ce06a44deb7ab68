// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on each element of StableHLO.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLOELEMENTWISEOPS_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLOELEMENTWISEOPS_TD

include "kiln/Dialect/Stablehlo/StablehloAttrs.td"

class SH_UnaryOp<string mnemonic> : SH_Op<mnemonic, [Pure]> {
  let arguments = (ins SH_Tensor:$operand);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameType>(type($operand), type($result))";
}

/// A function with a wish for its accuracy, which Kiln's own accuracy meets.
class SH_FunctionOp<string mnemonic> : SH_UnaryOp<mnemonic> {
  let arguments = (ins SH_Tensor:$operand, OptionalAttr<SH_ResultAccuracyAttr>:$result_accuracy);
}

class SH_BinaryOp<string mnemonic> : SH_Op<mnemonic, [Pure]> {
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<SameType>(type($lhs), type($rhs), type($result))";
}

def SH_AbsOp : SH_UnaryOp<"abs">;
def SH_CbrtOp : SH_FunctionOp<"cbrt">;
def SH_CeilOp : SH_UnaryOp<"ceil">;
def SH_ConvertOp : SH_UnaryOp<"convert">;
def SH_ClzOp : SH_UnaryOp<"count_leading_zeros">;
def SH_CosineOp : SH_FunctionOp<"cosine">;
def SH_ExpOp : SH_FunctionOp<"exponential">;
def SH_Expm1Op : SH_FunctionOp<"exponential_minus_one">;
def SH_FloorOp : SH_UnaryOp<"floor">;
def SH_ImagOp : SH_UnaryOp<"imag">;
def SH_IsFiniteOp : SH_UnaryOp<"is_finite">;
def SH_LogOp : SH_FunctionOp<"log">;
def SH_Log1pOp : SH_FunctionOp<"log_plus_one">;
def SH_LogisticOp : SH_FunctionOp<"logistic">;
def SH_NegOp : SH_UnaryOp<"negate">;
def SH_NotOp : SH_UnaryOp<"not">;
def SH_PopcntOp : SH_UnaryOp<"popcnt">;
def SH_RealOp : SH_UnaryOp<"real">;
def SH_RoundAwayOp : SH_UnaryOp<"round_nearest_afz">;
def SH_RoundEvenOp : SH_UnaryOp<"round_nearest_even">;
def SH_RsqrtOp : SH_FunctionOp<"rsqrt">;
def SH_SignOp : SH_UnaryOp<"sign">;
def SH_SineOp : SH_FunctionOp<"sine">;
def SH_SqrtOp : SH_FunctionOp<"sqrt">;
def SH_TanOp : SH_FunctionOp<"tan">;
def SH_TanhOp : SH_FunctionOp<"tanh">;
def SH_UniformQuantizeOp : SH_UnaryOp<"uniform_quantize">;
def SH_UniformDequantizeOp : SH_UnaryOp<"uniform_dequantize">;

def SH_AddOp : SH_BinaryOp<"add">;
def SH_AndOp : SH_BinaryOp<"and">;
def SH_Atan2Op : SH_BinaryOp<"atan2">;
def SH_DivOp : SH_BinaryOp<"divide">;
def SH_MaxOp : SH_BinaryOp<"maximum">;
def SH_MinOp : SH_BinaryOp<"minimum">;
def SH_MulOp : SH_BinaryOp<"multiply">;
def SH_OrOp : SH_BinaryOp<"or">;
def SH_PowOp : SH_BinaryOp<"power">;
def SH_RemOp : SH_BinaryOp<"remainder">;
def SH_ShiftLeftOp : SH_BinaryOp<"shift_left">;
def SH_ShiftRightArithmeticOp : SH_BinaryOp<"shift_right_arithmetic">;
def SH_ShiftRightLogicalOp : SH_BinaryOp<"shift_right_logical">;
def SH_SubtractOp : SH_BinaryOp<"subtract">;
def SH_XorOp : SH_BinaryOp<"xor">;

def SH_ComplexOp : SH_Op<"complex", [Pure]> {
  let summary = "Complex numbers of real and imaginary parts";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexType>(type($lhs), type($rhs), type($result))";
}

def SH_CompareOp : SH_Op<"compare", [Pure]> {
  let summary = "Compares elements";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, SH_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<SH_ComparisonTypeAttr>:$compare_type);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)
  }];
}

def SH_SelectOp : SH_Op<"select", [Pure]> {
  let summary = "Elements of one tensor or the other";
  let arguments = (ins SH_Tensor:$pred, SH_Tensor:$on_true, SH_Tensor:$on_false);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

def SH_ClampOp : SH_Op<"clamp", [Pure]> {
  let summary = "Limits elements to a range";
  let arguments = (ins SH_Tensor:$min, SH_Tensor:$operand, SH_Tensor:$max);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SameType>(type($min), type($operand), type($max), type($result))
  }];
}

def SH_BitcastConvertOp : SH_Op<"bitcast_convert", [Pure]> {
  let summary = "Reads bits as another type";
  let arguments = (ins SH_Tensor:$operand);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def SH_ReducePrecisionOp : SH_Op<"reduce_precision", [Pure]> {
  let summary = "Rounds to fewer bits";
  let arguments = (ins SH_Tensor:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs SH_Tensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict
    `:` custom<SameType>(type($operand), type($output))
  }];
}

#endif

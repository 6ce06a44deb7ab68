// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of CHLO.
#ifndef KILN_DIALECT_CHLO_CHLOOPS_TD
#define KILN_DIALECT_CHLO_CHLOOPS_TD

include "kiln/Dialect/Chlo/ChloBase.td"

class CH_UnaryOp<string mnemonic> : CH_Op<mnemonic, [Pure]> {
  let arguments = (ins SH_Tensor:$operand);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

class CH_BinaryOp<string mnemonic> : CH_Op<mnemonic, [Pure]> {
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

/// Operands of fewer dimensions, or of size 1, are repeated first.
class CH_BroadcastOp<string mnemonic> : CH_Op<"broadcast_" # mnemonic, [Pure]> {
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)";
}

def CH_AsinAcosKernelOp : CH_UnaryOp<"_asin_acos_kernel">;
def CH_AcosOp : CH_UnaryOp<"acos">;
def CH_AcoshOp : CH_UnaryOp<"acosh">;
def CH_AsinOp : CH_UnaryOp<"asin">;
def CH_AsinhOp : CH_UnaryOp<"asinh">;
def CH_AtanOp : CH_UnaryOp<"atan">;
def CH_AtanhOp : CH_UnaryOp<"atanh">;
def CH_BesselI1eOp : CH_UnaryOp<"bessel_i1e">;
def CH_ConjOp : CH_UnaryOp<"conj">;
def CH_CoshOp : CH_UnaryOp<"cosh">;
def CH_SinhOp : CH_UnaryOp<"sinh">;
def CH_TanOp : CH_UnaryOp<"tan">;
def CH_DigammaOp : CH_UnaryOp<"digamma">;
def CH_ErfOp : CH_UnaryOp<"erf">;
def CH_ErfInvOp : CH_UnaryOp<"erf_inv">;
def CH_ErfcOp : CH_UnaryOp<"erfc">;
def CH_IsInfOp : CH_UnaryOp<"is_inf">;
def CH_IsNegInfOp : CH_UnaryOp<"is_neg_inf">;
def CH_IsPosInfOp : CH_UnaryOp<"is_pos_inf">;
def CH_LgammaOp : CH_UnaryOp<"lgamma">;
def CH_SquareOp : CH_UnaryOp<"square">;

def CH_NextAfterOp : CH_BinaryOp<"next_after">;
def CH_PolygammaOp : CH_BinaryOp<"polygamma">;
def CH_ZetaOp : CH_BinaryOp<"zeta">;
def CH_MulhiOp : CH_BinaryOp<"mulhi">;

def CH_BroadcastAddOp : CH_BroadcastOp<"add">;
def CH_BroadcastAtan2Op : CH_BroadcastOp<"atan2">;
def CH_BroadcastDivOp : CH_BroadcastOp<"divide">;
def CH_BroadcastMaxOp : CH_BroadcastOp<"maximum">;
def CH_BroadcastMinOp : CH_BroadcastOp<"minimum">;
def CH_BroadcastMulOp : CH_BroadcastOp<"multiply">;
def CH_BroadcastNextAfterOp : CH_BroadcastOp<"next_after">;
def CH_BroadcastPolygammaOp : CH_BroadcastOp<"polygamma">;
def CH_BroadcastPowOp : CH_BroadcastOp<"power">;
def CH_BroadcastRemOp : CH_BroadcastOp<"remainder">;
def CH_BroadcastShiftLeftOp : CH_BroadcastOp<"shift_left">;
def CH_BroadcastShiftRightArithmeticOp : CH_BroadcastOp<"shift_right_arithmetic">;
def CH_BroadcastShiftRightLogicalOp : CH_BroadcastOp<"shift_right_logical">;
def CH_BroadcastSubOp : CH_BroadcastOp<"subtract">;
def CH_BroadcastZetaOp : CH_BroadcastOp<"zeta">;
def CH_BroadcastAndOp : CH_BroadcastOp<"and">;
def CH_BroadcastOrOp : CH_BroadcastOp<"or">;
def CH_BroadcastXorOp : CH_BroadcastOp<"xor">;
def CH_BroadcastComplexOp : CH_BroadcastOp<"complex">;

def CH_BroadcastCompareOp : CH_BroadcastOp<"compare"> {
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
    CH_ComparisonDirectionAttr:$comparison_direction, OptionalAttr<CH_ComparisonTypeAttr>:$compare_type);
}

def CH_BroadcastSelectOp : CH_Op<"broadcast_select", [Pure]> {
  let summary = "Selects after repeating";
  let arguments = (ins SH_Tensor:$pred, SH_Tensor:$on_true, SH_Tensor:$on_false);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->`
    type($result)
  }];
}

def CH_ConstantOp : CH_Op<"constant", [Pure, AllTypesMatch<["value", "output"]>]> {
  let summary = "A tensor known at compile time";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs SH_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
}

def CH_ConstantLikeOp : CH_Op<"constant_like", [Pure]> {
  let summary = "A number in the shape of a tensor";
  let arguments = (ins SH_Tensor:$operand, AnyAttr:$value);
  let results = (outs SH_Tensor:$result);
}

def CH_TopKOp : CH_Op<"top_k", [Pure]> {
  let summary = "The largest elements along the last dimension";
  let arguments = (ins SH_Tensor:$operand, I64Attr:$k, DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs SH_Tensor:$values, SH_Tensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict `:` type($operand) `->`
    `(` type($values) `,` type($indices) `)`
  }];
}

def CH_RaggedDotOp : CH_Op<"ragged_dot", [Pure]> {
  let summary = "Products by groups of rows";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, SH_Tensor:$group_sizes,
    CH_RaggedDotAttr:$ragged_dot_dimension_numbers,
    OptionalAttr<TypedArrayAttrBase<CH_PrecisionAttr, "precisions">>:$precision_config);
  let results = (outs SH_Tensor:$result);
}

def CH_ScanOp : CH_Op<"scan", [Pure, AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let summary = "Running combinations along a dimension";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, Variadic<SH_Tensor>:$inits, I64Attr:$dimension,
    OptionalAttr<I64Attr>:$scan_dim_size, DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
    OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<SH_Tensor>:$outputs, Variadic<SH_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
}

#endif

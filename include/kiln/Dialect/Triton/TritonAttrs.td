// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations of the tt dialect, with the numbers that older dumps print.
#ifndef KILN_DIALECT_TRITON_TRITONATTRS_TD
#define KILN_DIALECT_TRITON_TRITONATTRS_TD

include "kiln/Dialect/Triton/TritonBase.td"
include "mlir/IR/EnumAttr.td"

class TT_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> { let cppNamespace = "::kiln::tt"; }

def TT_CacheModifier : TT_Enum<"CacheModifier", "cache hint", [
  I32EnumAttrCase<"none", 1>, I32EnumAttrCase<"ca", 2>, I32EnumAttrCase<"cg", 3>,
  I32EnumAttrCase<"wb", 4>, I32EnumAttrCase<"cs", 5>, I32EnumAttrCase<"wt", 6>,
  I32EnumAttrCase<"cv", 7>]>;
def TT_EvictionPolicy : TT_Enum<"EvictionPolicy", "eviction hint", [
  I32EnumAttrCase<"evict_normal", 1>, I32EnumAttrCase<"evict_first", 2>,
  I32EnumAttrCase<"evict_last", 3>]>;
def TT_PaddingOption : TT_Enum<"PaddingOption", "what lies outside of a block", [
  I32EnumAttrCase<"pad_zero", 1>, I32EnumAttrCase<"pad_nan", 2>]>;
def TT_MemSemantic : TT_Enum<"MemSemantic", "memory order", [
  I32EnumAttrCase<"relaxed", 1>, I32EnumAttrCase<"acquire", 2>,
  I32EnumAttrCase<"release", 3>, I32EnumAttrCase<"acq_rel", 4>]>;
def TT_MemSyncScope : TT_Enum<"MemSyncScope", "memory scope", [
  I32EnumAttrCase<"gpu", 1>, I32EnumAttrCase<"cta", 2>, I32EnumAttrCase<"sys", 3>]>;
def TT_RMWOp : TT_Enum<"RMWOp", "atomic operation", [
  I32EnumAttrCase<"and_", 1, "and">, I32EnumAttrCase<"or_", 2, "or">,
  I32EnumAttrCase<"xor_", 3, "xor">, I32EnumAttrCase<"add", 4>,
  I32EnumAttrCase<"fadd", 5>, I32EnumAttrCase<"max", 6>, I32EnumAttrCase<"min", 7>,
  I32EnumAttrCase<"umax", 8>, I32EnumAttrCase<"umin", 9>, I32EnumAttrCase<"exch", 10>]>;
def TT_DescriptorReduceKind : TT_Enum<"DescriptorReduceKind", "combination of a descriptor store", [
  I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"max", 3>,
  I32EnumAttrCase<"inc", 4>, I32EnumAttrCase<"dec", 5>, I32EnumAttrCase<"and_", 6, "and">,
  I32EnumAttrCase<"or_", 7, "or">, I32EnumAttrCase<"xor_", 8, "xor">]>;
def TT_InputPrecision : TT_Enum<"InputPrecision", "precision of dot operands", [
  I32EnumAttrCase<"tf32", 0>, I32EnumAttrCase<"tf32x3", 1>, I32EnumAttrCase<"ieee", 2>,
  I32EnumAttrCase<"bf16x3", 3>, I32EnumAttrCase<"bf16x6", 4>]>;
def TT_RoundingMode : TT_Enum<"RoundingMode", "rounding of a conversion", [
  I32EnumAttrCase<"rtz", 0>, I32EnumAttrCase<"rtne", 1>]>;
def TT_PropagateNan : TT_Enum<"PropagateNan", "whether NaN survives", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"all", 65535>]>;
def TT_ScaleDotElemType : TT_Enum<"ScaleDotElemType", "element type of a scaled operand", [
  I32EnumAttrCase<"e4m3", 0>, I32EnumAttrCase<"e5m2", 1>, I32EnumAttrCase<"e2m3", 2>,
  I32EnumAttrCase<"e3m2", 3>, I32EnumAttrCase<"e2m1", 4>, I32EnumAttrCase<"bf16", 5>,
  I32EnumAttrCase<"fp16", 6>]>;
def TT_ProgramDim : TT_Enum<"ProgramDim", "dimension of the grid", [
  I32EnumAttrCase<"x", 0>, I32EnumAttrCase<"y", 1>, I32EnumAttrCase<"z", 2>]>;

#endif

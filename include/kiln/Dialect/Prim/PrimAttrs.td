// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations of the prim dialect.
#ifndef KILN_DIALECT_PRIM_PRIMATTRS_TD
#define KILN_DIALECT_PRIM_PRIMATTRS_TD

include "kiln/Dialect/Prim/PrimBase.td"
include "mlir/IR/EnumAttr.td"

def Prim_Rounding : I32EnumAttr<"Rounding", "rounding of rescale", [
  I32EnumAttrCase<"single", 0>, I32EnumAttrCase<"double_", 1, "double">,
  I32EnumAttrCase<"inexact", 2>
]> { let cppNamespace = "::kiln::prim"; }

def Prim_GeluKind : I32EnumAttr<"GeluKind", "formula of gelu", [
  I32EnumAttrCase<"exact", 0>, I32EnumAttrCase<"tanh", 1>
]> { let cppNamespace = "::kiln::prim"; }

def Prim_RandomAlgorithm : I32EnumAttr<"RandomAlgorithm", "how random bits are made", [
  I32EnumAttrCase<"philox", 0>, I32EnumAttrCase<"philox_word", 1>, I32EnumAttrCase<"threefry", 2>
]> { let cppNamespace = "::kiln::prim"; }

def Prim_Precision : I32EnumAttr<"Precision", "how f32 operands of a product are read", [
  I32EnumAttrCase<"ieee", 0>, I32EnumAttrCase<"tf32", 1>
]> { let cppNamespace = "::kiln::prim"; }

def Prim_GroupKind : I32EnumAttr<"GroupKind", "what a fused group is built around", [
  I32EnumAttrCase<"elementwise", 0>, I32EnumAttrCase<"reduction", 1>,
  I32EnumAttrCase<"contraction", 2>, I32EnumAttrCase<"convolution", 3>,
  I32EnumAttrCase<"scan", 4>, I32EnumAttrCase<"sort", 5>, I32EnumAttrCase<"gather", 6>,
  I32EnumAttrCase<"scatter", 7>
]> { let cppNamespace = "::kiln::prim"; }

def Prim_ScatterKind : I32EnumAttr<"ScatterKind", "how a scatter combines", [
  I32EnumAttrCase<"set", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"mul", 2>,
  I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"max", 4>, I32EnumAttrCase<"umin", 5>,
  I32EnumAttrCase<"umax", 6>, I32EnumAttrCase<"and_", 7, "and">, I32EnumAttrCase<"or_", 8, "or">,
  I32EnumAttrCase<"xor_", 9, "xor">
]> { let cppNamespace = "::kiln::prim"; }

def Prim_ScanKind : I32EnumAttr<"ScanKind", "how a scan combines", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"prod", 1>, I32EnumAttrCase<"max", 2>,
  I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"logsumexp", 4>
]> { let cppNamespace = "::kiln::prim"; }

#endif

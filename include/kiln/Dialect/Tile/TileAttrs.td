// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations and attributes of the tile dialect.
#ifndef KILN_DIALECT_TILE_TILEATTRS_TD
#define KILN_DIALECT_TILE_TILEATTRS_TD

include "kiln/Dialect/Tile/TileBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"

def Tile_Padding : I32EnumAttr<"Padding", "what a load reads outside of its view", [
  I32EnumAttrCase<"zero", 0>, I32EnumAttrCase<"nan", 1>,
  I32EnumAttrCase<"any", 2>, I32EnumAttrCase<"value", 3>
]> { let cppNamespace = "::kiln::tile"; }

def Tile_Combine : I32EnumAttr<"Combine", "how a store combines with what is there", [
  I32EnumAttrCase<"assign", 0>, I32EnumAttrCase<"add", 1>,
  I32EnumAttrCase<"max", 2>, I32EnumAttrCase<"min", 3>,
  I32EnumAttrCase<"umax", 4>, I32EnumAttrCase<"umin", 5>,
  I32EnumAttrCase<"and_", 6, "and">, I32EnumAttrCase<"or_", 7, "or">,
  I32EnumAttrCase<"xor_", 8, "xor">, I32EnumAttrCase<"inc", 9>,
  I32EnumAttrCase<"dec", 10>, I32EnumAttrCase<"mul", 11>
]> { let cppNamespace = "::kiln::tile"; }

def Tile_Progress : I32EnumAttr<"Progress", "whether instances may wait for each other", [
  I32EnumAttrCase<"independent", 0>, I32EnumAttrCase<"concurrent", 1>
]> {
  let cppNamespace = "::kiln::tile";
  let genSpecializedAttr = 0;
}
def Tile_ProgressAttr : EnumAttr<Tile_Dialect, Tile_Progress, "progress">;

def Tile_InputPrecision : I32EnumAttr<"InputPrecision", "how f32 operands of a dot are read", [
  I32EnumAttrCase<"ieee", 0>, I32EnumAttrCase<"tf32", 1>, I32EnumAttrCase<"tf32x3", 2>,
  I32EnumAttrCase<"bf16x3", 3>, I32EnumAttrCase<"bf16x6", 4>
]> { let cppNamespace = "::kiln::tile"; }

def Tile_ScaledFormat : I32EnumAttr<"ScaledFormat", "format of the elements of a factor with scales", [
  I32EnumAttrCase<"e2m1", 0>, I32EnumAttrCase<"e2m3", 1>, I32EnumAttrCase<"e3m2", 2>,
  I32EnumAttrCase<"e4m3", 3>, I32EnumAttrCase<"e5m2", 4>, I32EnumAttrCase<"bf16", 5>,
  I32EnumAttrCase<"fp16", 6>
]> { let cppNamespace = "::kiln::tile"; }

def Tile_CacheHint : I32EnumAttr<"CacheHint", "where an access should be cached", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"all_levels", 1>, I32EnumAttrCase<"outer", 2>,
  I32EnumAttrCase<"write_back", 3>, I32EnumAttrCase<"streaming", 4>,
  I32EnumAttrCase<"write_through", 5>, I32EnumAttrCase<"uncached", 6>
]> { let cppNamespace = "::kiln::tile"; }

def Tile_EvictHint : I32EnumAttr<"EvictHint", "how soon a cache line may go", [
  I32EnumAttrCase<"normal", 0>, I32EnumAttrCase<"first", 1>, I32EnumAttrCase<"last", 2>
]> { let cppNamespace = "::kiln::tile"; }

def Tile_MemoryOrder : I32EnumAttr<"MemoryOrder", "order of an atomic access", [
  I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>, I32EnumAttrCase<"release", 2>,
  I32EnumAttrCase<"acq_rel", 3>
]> { let cppNamespace = "::kiln::tile"; }

def Tile_MemoryScope : I32EnumAttr<"MemoryScope", "the threads that observe the order of an atomic access", [
  I32EnumAttrCase<"instance", 0>, I32EnumAttrCase<"device", 1>, I32EnumAttrCase<"system", 2>
]> { let cppNamespace = "::kiln::tile"; }

def Tile_AtomicKind : I32EnumAttr<"AtomicKind", "what an atomic access does", [
  I32EnumAttrCase<"exchange", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"fadd", 2>,
  I32EnumAttrCase<"max", 3>, I32EnumAttrCase<"min", 4>, I32EnumAttrCase<"umax", 5>,
  I32EnumAttrCase<"umin", 6>, I32EnumAttrCase<"and_", 7, "and">, I32EnumAttrCase<"or_", 8, "or">,
  I32EnumAttrCase<"xor_", 9, "xor">
]> { let cppNamespace = "::kiln::tile"; }

def Tile_Rounding : I32EnumAttr<"Rounding", "rounding of a conversion", [
  I32EnumAttrCase<"nearest_even", 0>, I32EnumAttrCase<"toward_zero", 1>
]> { let cppNamespace = "::kiln::tile"; }

class Tile_Attr<string name, string mnemonic_> : AttrDef<Tile_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Tile_NumericsAttr : Tile_Attr<"Numerics", "numerics"> {
  let summary = "The numerics mode of a kernel";
  let description = [{
    What the lowering of a kernel may do that changes results. Each is off when
    absent; `fastmath` on an operation refines it.

    - `contract`: a multiplication followed by an addition may become one fused
      operation.
    - `approx`: `math` functions may use approximations of up to 8 ulp.
    - `ftz`: subnormal operands and results may be read as zero.
    - `reassoc`: sums and products outside `dot` and `reduce` may be
      reassociated.
  }];
  let parameters = (ins
    DefaultValuedParameter<"bool", "false">:$contract,
    DefaultValuedParameter<"bool", "false">:$approx,
    DefaultValuedParameter<"bool", "false">:$ftz,
    DefaultValuedParameter<"bool", "false">:$reassoc);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tile_LoopHintsAttr : Tile_Attr<"LoopHints", "loop_hints"> {
  let summary = "Hints about a loop";
  let description = [{
    The attribute `tile.hints` of an `scf.for` or `scf.while`: how the code generator may run the loop.
    If a field is absent (0 or false), the target chooses. The GPU targets of Kiln follow `stages` and `independent`; docs/hints.md
    states which target follows which hint.

    - `stages`: number of stages of the software pipeline (iterations in flight at once): loads of one iteration are issued
      while another one computes.
    - `unroll`: number of iterations that are unrolled into one.
    - `flatten`: this loop and the loop around it may become one.
    - `specialize`: loads and computation may be given to different groups of threads (warp specialisation).
    - `single_accumulator`: the accumulator of a product is kept once, not once for each stage.
    - `independent`: no iteration loads through one parameter of the kernel an element that an earlier iteration of the same
      instance stores through another one, so that loads may be issued before the stores of earlier iterations. Nor do
      the threads that share an instance need a barrier between accesses of the loop and accesses through other parameters,
      or between a store and the same store of the next iteration.

    Constraint: numbers are not negative.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$stages,
    DefaultValuedParameter<"int64_t", "0">:$unroll,
    DefaultValuedParameter<"bool", "false">:$flatten,
    DefaultValuedParameter<"bool", "false">:$specialize,
    DefaultValuedParameter<"bool", "false">:$single_accumulator,
    DefaultValuedParameter<"bool", "false">:$independent);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tile_KernelHintsAttr : Tile_Attr<"KernelHints", "kernel_hints"> {
  let summary = "Hints about the machine that a kernel was written for";
  let description = [{
    The attribute `tile.hints` of a `tile.kernel`: the machine on which its author would run an instance. If a field is
    absent (0), the target chooses. The GPU targets of Kiln follow `warps` alone; docs/hints.md states which target follows
    which hint.

    - `warps`: number of groups of threads that run in step.
    - `threads_per_warp`: number of threads of such a group.
    - `cluster`: number of thread blocks that share one instance.
    - `registers`: the most registers of a thread.

    Constraints: numbers are not negative; `threads_per_warp` is a power of two.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$warps,
    DefaultValuedParameter<"int64_t", "0">:$threads_per_warp,
    DefaultValuedParameter<"int64_t", "0">:$cluster,
    DefaultValuedParameter<"int64_t", "0">:$registers);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine does that no upstream dialect says. Addresses are bytes of
// the scratchpad; scalars and control flow are arith and scf, lanes of the
// vector unit are vectors.
#ifndef SYSTOLIC_OPS
#define SYSTOLIC_OPS

include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Systolic_Dialect : Dialect {
  let name = "systolic";
  let cppNamespace = "::systolic";
  let summary = "Transfers, products and lanes of the systolic machine";
}
class Systolic_Op<string mnemonic, list<Trait> traits = []> : Op<Systolic_Dialect, mnemonic, traits>;

class Systolic_DmaOp<string mnemonic> : Systolic_Op<mnemonic> {
  let description = [{
    Dimension d has `counts`[d] elements, from `offsets`[d] on in the view, `strides`[d] bytes apart in the
    scratchpad. What is outside of the view reads as `padding`, and is not written. The result is the transfer's tag.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Index:$address, AnyType:$padding,
                   DenseI64ArrayAttr:$counts, DenseI64ArrayAttr:$strides, TypeAttr:$type);
  let results = (outs Index:$tag);
  let assemblyFormat = [{
    $view `[` $offsets `]` `pad` `(` $address `)` `outside` $padding `:` type($padding) `counts` $counts
    `strides` $strides $type attr-dict `:` qualified(type($view))
  }];
}
def Systolic_DmaInOp : Systolic_DmaOp<"dma_in"> { let summary = "Begins a transfer into the scratchpad"; }
def Systolic_DmaOutOp : Systolic_DmaOp<"dma_out"> { let summary = "Begins a transfer out of it"; }

def Systolic_WaitOp : Systolic_Op<"wait"> {
  let summary = "Waits for a transfer and all before it";
  let arguments = (ins Index:$tag);
  let assemblyFormat = "$tag attr-dict";
}
def Systolic_RingOp : Systolic_Op<"ring"> {
  let summary = "Sets the counters of a ring: all slots are empty";
  let arguments = (ins I64Attr:$ring, I64Attr:$base, I64Attr:$bytes, I64Attr:$depth);
  let assemblyFormat = "$ring `base` $base `bytes` $bytes `depth` $depth attr-dict";
}
def Systolic_SlotFillOp : Systolic_Op<"slot_fill"> {
  let summary = "The address of the next empty slot";
  let arguments = (ins I64Attr:$ring);
  let results = (outs Index:$address);
  let assemblyFormat = "$ring attr-dict";
}
def Systolic_SlotCommitOp : Systolic_Op<"slot_commit"> {
  let summary = "The slot is full once these transfers have ended";
  let arguments = (ins I64Attr:$ring, Variadic<Index>:$tags);
  let assemblyFormat = "$ring `after` `(` $tags `)` attr-dict";
}
def Systolic_SlotTakeOp : Systolic_Op<"slot_take"> {
  let summary = "The address of the oldest full slot, for which it waits";
  let arguments = (ins I64Attr:$ring);
  let results = (outs Index:$address);
  let assemblyFormat = "$ring attr-dict";
}
def Systolic_SlotFreeOp : Systolic_Op<"slot_free"> {
  let summary = "Empties the oldest slot that was taken";
  let arguments = (ins I64Attr:$ring);
  let assemblyFormat = "$ring attr-dict";
}
def Systolic_MmaOp : Systolic_Op<"mma"> {
  let summary = "c += a * b, for m x k and k x n of at most 16 each, rows `strides` bytes apart";
  let arguments = (ins Index:$a, Index:$b, Index:$c, Index:$m, Index:$n, Index:$k, TypeAttr:$type,
                   DenseI64ArrayAttr:$strides);
  let assemblyFormat = "$a `*` $b `to` $c `sizes` $m `x` $n `x` $k $type `strides` $strides attr-dict";
}
def Systolic_FillOp : Systolic_Op<"fill"> {
  let summary = "Repeats eight bytes";
  let arguments = (ins Index:$address, I64Attr:$bytes, I64Attr:$word);
  let assemblyFormat = "$address `bytes` $bytes `with` $word attr-dict";
}

// The vector unit: a vector is up to 64 lanes; arith and math compute on them.
def Systolic_Lanes : VectorOfRankAndType<[1], [AnyInteger, Index, AnyFloat]>;
def Systolic_LoadOp : Systolic_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "Lanes from the scratchpad, `stride` bytes apart";
  let arguments = (ins Index:$address, I64Attr:$stride);
  let results = (outs Systolic_Lanes:$result);
  let assemblyFormat = "$address `stride` $stride attr-dict `:` type($result)";
}
def Systolic_StoreOp : Systolic_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Lanes into the scratchpad, `stride` bytes apart";
  let arguments = (ins Systolic_Lanes:$value, Index:$address, I64Attr:$stride);
  let assemblyFormat = "$value `to` $address `stride` $stride attr-dict `:` type($value)";
}
def Systolic_SplatOp : Systolic_Op<"splat", [Pure]> {
  let summary = "A scalar in every lane";
  let arguments = (ins AnyType:$scalar);
  let results = (outs Systolic_Lanes:$result);
  let assemblyFormat = "$scalar attr-dict `:` type($scalar) `->` type($result)";
}
def Systolic_CountOp : Systolic_Op<"count", [Pure]> {
  let summary = "Lane i is first + i * step";
  let arguments = (ins Index:$first, I64Attr:$step);
  let results = (outs Systolic_Lanes:$result);
  let assemblyFormat = "$first `step` $step attr-dict `:` type($result)";
}
def Systolic_SliceOp : Systolic_Op<"slice", [Pure]> {
  let summary = "Some of the lanes, from `first` on";
  let arguments = (ins Systolic_Lanes:$source, I64Attr:$first);
  let results = (outs Systolic_Lanes:$result);
  let assemblyFormat = "$source `from` $first attr-dict `:` type($source) `->` type($result)";
}
def Systolic_FirstOp : Systolic_Op<"first", [Pure]> {
  let summary = "The first lane as a scalar";
  let arguments = (ins Systolic_Lanes:$source);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the machine does that no upstream dialect says. Addresses are bytes of
// the scratchpad. Each operation is an instruction, see device/Isa.h.
#ifndef SYSTOLIC_OPS
#define SYSTOLIC_OPS

include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Systolic_Dialect : Dialect {
  let name = "systolic";
  let cppNamespace = "::systolic";
}
class Systolic_Op<string mnemonic, string text, dag ins, dag outs = (outs), list<Trait> traits = []>
    : Op<Systolic_Dialect, mnemonic, traits> {
  let summary = text;
  let arguments = ins;
  let results = outs;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

/// Dimension d has counts[d] elements from offsets[d] on in the view, strides[d] bytes apart in the scratchpad.
class Systolic_DmaOp<string mnemonic, string text> : Systolic_Op<mnemonic, text,
    (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Index:$address, AnyType:$padding,
         DenseI64ArrayAttr:$counts, DenseI64ArrayAttr:$strides, TypeAttr:$type), (outs Index:$tag)>;
def Systolic_DmaInOp : Systolic_DmaOp<"dma_in", "Begins a transfer; what is outside of the view reads as padding">;
def Systolic_DmaOutOp : Systolic_DmaOp<"dma_out", "Begins a transfer; what is outside of the view is dropped">;
def Systolic_WaitOp : Systolic_Op<"wait", "Waits for a transfer and all before it", (ins Index:$tag)>;

def Systolic_RingOp : Systolic_Op<"ring", "Makes all slots of a ring empty",
    (ins I64Attr:$ring, I64Attr:$base, I64Attr:$bytes, I64Attr:$depth)>;
def Systolic_SlotFillOp : Systolic_Op<"slot_fill", "The address of the next empty slot",
    (ins I64Attr:$ring), (outs Index:$address)>;
def Systolic_SlotCommitOp : Systolic_Op<"slot_commit", "It is full once these transfers have ended",
    (ins Variadic<Index>:$tags, I64Attr:$ring)>;
def Systolic_SlotTakeOp : Systolic_Op<"slot_take", "The address of the oldest full slot, for which it waits",
    (ins I64Attr:$ring), (outs Index:$address)>;
def Systolic_SlotFreeOp : Systolic_Op<"slot_free", "Empties the oldest slot that was taken", (ins I64Attr:$ring)>;

def Systolic_MmaOp : Systolic_Op<"mma", "c += a * b: a, b, c, m, n, k; m, n, k of at most 16; bytes between rows",
    (ins Variadic<Index>:$operands, DenseI64ArrayAttr:$strides, TypeAttr:$type)>;
def Systolic_FillOp : Systolic_Op<"fill", "Repeats eight bytes", (ins Index:$address, I64Attr:$bytes, I64Attr:$word)>;

include "compiler/VectorOps.td" // step 2

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Step 2: the vector unit. A vector is up to 64 lanes; arith and math compute
// on them.
def Systolic_Lanes : VectorOfRankAndType<[1], [AnyInteger, Index, AnyFloat]>;

def Systolic_LoadOp : Systolic_Op<"load", "Lanes from the scratchpad, so many bytes apart",
    (ins Index:$address, I64Attr:$stride), (outs Systolic_Lanes:$result), [MemoryEffects<[MemRead]>]>;
def Systolic_StoreOp : Systolic_Op<"store", "Lanes into the scratchpad, so many bytes apart",
    (ins Systolic_Lanes:$value, Index:$address, I64Attr:$stride), (outs), [MemoryEffects<[MemWrite]>]>;
def Systolic_SplatOp : Systolic_Op<"splat", "A scalar in every lane",
    (ins AnyType:$scalar), (outs Systolic_Lanes:$result), [Pure]>;
def Systolic_CountOp : Systolic_Op<"count", "Lane i is first + i * step",
    (ins Index:$first, I64Attr:$step), (outs Systolic_Lanes:$result), [Pure]>;
def Systolic_SliceOp : Systolic_Op<"slice", "Some of the lanes, from one on",
    (ins Systolic_Lanes:$source, I64Attr:$first), (outs Systolic_Lanes:$result), [Pure]>;
def Systolic_FirstOp : Systolic_Op<"first", "The first lane as a scalar",
    (ins Systolic_Lanes:$source), (outs AnyType:$result), [Pure]>;

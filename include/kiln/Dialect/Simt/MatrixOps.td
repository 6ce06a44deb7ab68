// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that a warp executes together on matrices.
#ifndef KILN_DIALECT_SIMT_MATRIXOPS_TD
#define KILN_DIALECT_SIMT_MATRIXOPS_TD

include "kiln/Dialect/Simt/SimtBase.td"
include "kiln/Dialect/Simt/SimtEnums.td"
include "kiln/Interfaces/ThreadAccess.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Simt_MmaOp : Simt_Op<"mma", [Pure, AttrSizedOperandSegments]> {
  let summary = "Executes one matrix instruction (MMA) of a warp";
  let description = [{
    All lanes of a warp together compute `acc + lhs * rhs` by a matrix instruction of the description. Each lane
    holds its elements of the fragments, in the order of their layouts. All lanes of the warp must reach the operation.

    - `row`: the name of the instruction.
    - `lhs`, `rhs`, `acc`: the lane's elements of the operands and of the accumulator.
    - `lhs_unsigned`, `rhs_unsigned`: the integers of this operand are unsigned.
    - `results`: the lane's elements of the new accumulator.

    Constraints:
    - (C1) There is one result for each part of the accumulator, of its type.

    Since: 0.2.

    Example:
    ```mlir
    %d:4 = simt.mma "mma.16x8x8.tf32" (%a, %a, %a, %a) by (%b, %b) plus (%c, %c, %c, %c) : f32, f32, f32
    ```
  }];
  let arguments = (ins StrAttr:$row, Variadic<AnyType>:$lhs, Variadic<AnyType>:$rhs, Variadic<AnyType>:$acc,
    UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

/// One register of a lane.
def Simt_Word : AnyTypeOf<[I32, I64]>;

class Simt_MatrixOp<string mnemonic, list<Trait> traits> : Simt_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

def Simt_LoadMatrixOp : Simt_MatrixOp<"load_matrix", [MemoryEffects<[MemRead]>,
    DeclareOpInterfaceMethods<ThreadAccessOpInterface>]> {
  let summary = "Loads matrices from shared memory by a warp, as one instruction";
  let description = [{
    The tile move (`#kiln.tile_move`) of the description defines which elements a lane gets, and which lane gives the address of which row.

    - `move`: the name of the tile move.
    - `address`: an address in shared memory, a multiple of `bytes`.
    - `lanes`: the addresses of this many first lanes count; `bytes`: the number of bytes that are read at each of them.
    - `words`: a register for each matrix, with the elements of the lane packed from the lowest bits on.

    Constraints:
    - (C1) There are 1, 2 or 4 words of one type.
    - (C2) `lanes` and `bytes` are powers of two.

    Since: 0.2.

    Example:
    ```mlir
    %w:4 = simt.load_matrix "rows" %p by 32 lanes of 16 : !llvm.ptr<3> -> i32, i32, i32, i32
    ```
  }];
  let arguments = (ins Simt_Pointer:$address, StrAttr:$move, I64Attr:$lanes, I64Attr:$bytes);
  let results = (outs Variadic<Simt_Word>:$words);
  let assemblyFormat = [{
    $move $address `by` $lanes `lanes` `of` $bytes attr-dict `:` qualified(type($address)) `->` type($words)
  }];
}

def Simt_StoreMatrixOp : Simt_MatrixOp<"store_matrix", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<ThreadAccessOpInterface>]> {
  let summary = "Stores matrices to shared memory by a warp, as one instruction";
  let description = [{
    The inverse of `simt.load_matrix`: a load by a move with the same layouts, from the same addresses, gives each lane its `words` again.

    - `words`: a register for each matrix; `move`, `address`, `lanes`, `bytes`: as for `simt.load_matrix`.

    Constraints:
    - (C1) There are 1, 2 or 4 words of one type.
    - (C2) `lanes` and `bytes` are powers of two.

    Since: 0.2.

    Example:
    ```mlir
    simt.store_matrix "rows" %a, %b to %p by 16 lanes of 16 : !llvm.ptr<3>, i32
    ```
  }];
  let arguments = (ins Variadic<Simt_Word>:$words, Simt_Pointer:$address, StrAttr:$move, I64Attr:$lanes, I64Attr:$bytes);
  let assemblyFormat = [{
    $move $words `to` $address `by` $lanes `lanes` `of` $bytes attr-dict `:` qualified(type($address)) `,` type($words)
  }];
}

#endif

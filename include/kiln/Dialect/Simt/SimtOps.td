// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simt dialect: layouts of tiles over threads, and the operations of one thread.
#ifndef KILN_GPU_SIMTOPS_TD
#define KILN_GPU_SIMTOPS_TD

include "kiln/Dialect/Simt/AccessOps.td"
include "kiln/Dialect/Simt/AsyncCopyOps.td"
include "kiln/Dialect/Simt/BarrierOps.td"
include "kiln/Dialect/Simt/MatrixOps.td"
include "kiln/Dialect/Simt/SimtAttrs.td"
include "kiln/Dialect/Simt/SimtBase.td"
include "kiln/Interfaces/IndexMap.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Simt_ConvertLayoutOp : Simt_Op<"convert_layout", [Pure,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getIndexMap", "movesElements"]>]> {
  let summary = "Converts a tile to another layout";
  let description = [{
    The result has the elements of `source`, distributed over the threads by another layout. The lowering moves elements between registers,
    by shuffles between lanes, or through shared memory; in the last case `simt-insert-barriers` gives it bytes and barriers.

    Constraints:
    - (C1) Source and result have one shape and one element type.

    Since: 0.2.

    Example:
    ```mlir
    %y = simt.convert_layout %x : tensor<32xf32, #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = []>>
      -> tensor<32xf32, #simt.layout<rank = 1, register = [], lane = [[16], [8], [4], [2], [1]], warp = []>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Simt_UniformOp : Simt_Op<"uniform", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "States that a value is uniform in a warp";
  let description = [{
    `value` is equal in all lanes of a warp that execute the operation. An analysis of the code of one thread
    cannot see this, for instance of the warp's number. A target may keep the result in a scalar register, which the lanes share; others
    use the operand. Emitted if the description has a unit of kind `scalar`, and for the addresses of asynchronous MMAs.

    Since: 0.2.

    Example:
    ```mlir
    %warp = simt.uniform %n : i32
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyInteger, Index, AnyFloat, Simt_Pointer]>:$value);
  let results = (outs AnyTypeOf<[AnyInteger, Index, AnyFloat, Simt_Pointer]>:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Simt_InlineAsmOp : Simt_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Inline assembly of one thread";
  let description = [{
    - `text`, `isa`, `constraints`, `pure`: as for `tile.inline_asm`.
    - `operands`, `results`: the values of its registers. Narrow elements are packed already.

    Since: 0.2.

    Example:
    ```mlir
    %r = simt.inline_asm "double $0, $1" isa "machine" constraints "=r,r" pure (%x) : (i32) -> i32
    ```
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$isa, StrAttr:$constraints, UnitAttr:$pure, Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $text `isa` $isa `constraints` $constraints (`pure` $pure^)? `(` $operands `)` attr-dict
    `:` functional-type($operands, $results)
  }];
}

def Simt_OutputOp : Simt_Op<"output", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Allocates a record that the launch sends to the host (printing, assertions)";
  let description = [{
    The host reads the records (kiln/Gpu/OutputRecord.h) when the launch has ended.

    - `bytes`: the size of the record, a multiple of 8.
    - `place`: the address of the record; null if the space is used up.

    Since: 0.2.

    Example:
    ```mlir
    %p = simt.output 128 : !llvm.ptr
    ```
  }];
  let arguments = (ins I64Attr:$bytes);
  let results = (outs Simt_Pointer:$place);
  let assemblyFormat = "$bytes attr-dict `:` qualified(type($place))";
}

def Simt_StopOp : Simt_Op<"stop", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Ends the thread";
  let description = [{
    The thread executes no later operation, and no thread waits for it. Either all threads of a block reach the operation, or none.

    Since: 0.2.

    Example:
    ```mlir
    simt.stop
    ```
  }];
  let assemblyFormat = "attr-dict";
}

include "kiln/Dialect/Simt/SimtProductOps.td"
include "kiln/Dialect/Simt/BulkCopyOps.td"

#endif

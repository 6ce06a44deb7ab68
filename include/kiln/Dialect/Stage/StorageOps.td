// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage: allocation, reads and writes.
#ifndef KILN_DIALECT_STAGE_STORAGEOPS_TD
#define KILN_DIALECT_STAGE_STORAGEOPS_TD

include "kiln/Dialect/Stage/StageAttrs.td"
include "kiln/Dialect/Stage/StageTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Stage_AllocOp : Stage_Op<"alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Allocates storage for one program instance";
  let description = [{
    All elements are unwritten. The storage lives from its first to its last use, where uses include aliases, loops and asynchronous
    operations in flight; no operation frees it. In a loop each iteration has new storage. (`memref.alloca` would
    promise a stack.)

    - `align`: the alignment of the first byte, in bytes.
    - `slack`: the number of bytes behind the last element that full vector accesses may read and write. Their contents do not matter.
    - `offset`: the place in the memory, in bytes, which `stage-allocate` chooses. Allocations with overlapping places in one memory share
      these bytes.

    Constraints:
    - (C1) The space is `#stage.space`, or there is none yet.
    - (C2) `align` is a power of two.
    - (C3) `slack` and `offset` are not negative, and `offset` is a multiple of `align`.
    - (C4) A layout is strided, or maps coordinates to places by floor divisions, remainders, products with
      constants and sums, none of which is negative within the shape; its storage has at most 2^40 bytes.

    Since: 0.1.

    Example:
    ```mlir
    !panel = memref<64x32xf32, affine_map<(r, c) -> (r floordiv 8, c, r mod 8)>, #stage.space<"l2">>
    tile.kernel @k() {
      %a = stage.alloc {align = 64 : i64} : !panel
      %b = stage.alloc {align = 64 : i64, offset = 8192 : i64, slack = 60 : i64} : memref<100xf32, #stage.space<"l2">>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$align, OptionalAttr<I64Attr>:$slack, OptionalAttr<I64Attr>:$offset);
  let results = (outs Stage_Storage:$storage);
  let assemblyFormat = "attr-dict `:` type($storage)";
  let hasVerifier = 1;
}

def Stage_ReadOp : Stage_Op<"read", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reads a tile from storage, as an expression or a fragment";
  let description = [{
    result[i...] = storage[origin + i...]; the default origin is zeros. An expression is evaluated where it is used,
    element by element, without a copy of the tile. A fragment is read as a whole, at this operation.

    Constraints:
    - (C1) Storage and tile have one element type and one rank.
    - (C2) There is one origin per dimension, or none; without one the shapes are equal, with one no dimension
      of the tile is longer than the storage's.

    Numerics: exact. Since: 0.1.

    Example:
    ```mlir
    tile.kernel @k(%y: !tile.view<?xf32>, %i: index) {
      %a = stage.alloc : memref<128xf32, #stage.space<"l1">>
      %c0 = arith.constant 0 : index
      stage.compute [32] {
        %z = arith.constant dense<1.0> : tensor<32xf32>
        stage.write %z, %a[%i] : tensor<32xf32>, memref<128xf32, #stage.space<"l1">>
        %x = stage.read %a[%i] : memref<128xf32, #stage.space<"l1">> -> tensor<32xf32>
        tile.store %x, %y[%c0] : tensor<32xf32>, !tile.view<?xf32>
      }
    }
    ```
  }];
  let arguments = (ins
    Arg<Stage_Storage, "what is read">:$storage, Arg<Variadic<Index>, "of the first element">:$origin);
  let results = (outs Stage_Tile:$result);
  let assemblyFormat = "$storage (`[` $origin^ `]`)? attr-dict `:` type($storage) `->` type($result)";
  let hasVerifier = 1;
}

def Stage_WriteOp : Stage_Op<"write", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Writes an expression or a fragment to storage";
  let description = [{
    storage[origin + i...] = value[i...]. In a `stage.compute` it is a sink, and covers the region's `from` to `to`. If
    the layout of the storage has panels, the write packs the tile.

    Constraints: C1 and C2 of `stage.read`. In a region with `from` and `to` the tile may be longer than the storage, and the origin
    negative, if the storage has room for the covered elements.

    Numerics: exact. Since: 0.1. Example: see `stage.read`.
  }];
  let arguments = (ins
    Arg<Stage_Tile, "what is written">:$value, Arg<Stage_Storage, "where">:$storage,
    Arg<Variadic<Index>, "of the first element">:$origin);
  let assemblyFormat = "$value `,` $storage (`[` $origin^ `]`)? attr-dict `:` type($value) `,` type($storage)";
  let hasVerifier = 1;
}

#endif

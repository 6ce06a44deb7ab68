// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies, and waits for asynchronous operations in flight.
#ifndef KILN_DIALECT_STAGE_COPYOPS_TD
#define KILN_DIALECT_STAGE_COPYOPS_TD

include "kiln/Dialect/Stage/StageAttrs.td"
include "kiln/Dialect/Stage/StageTypes.td"
include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Stage_ViewOrStorage : AnyTypeOf<[Tile_ViewType, Stage_Storage]>;

def Stage_CopyOp : Stage_Op<"copy", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Copies a box of elements between a view and storage, or between two storages";
  let description = [{
    target[to + i...] = source[from + i...] for i in the box. The box is `box`, or by default the shape of the storage
    (of the source, if both sides are storage).

    - Coordinates of a view are those of `tile.load`: `[...]` counts blocks of the size of the box, `at [...]` counts elements. A box of
      smaller rank than the view has size 1 in the leading dimensions.
    - Coordinates of storage count elements; the default is zeros.
    - Elements outside of a view read as `padding` (zero, nan, a value). Writes outside of a view are dropped.

    With `async` the copy is asynchronous and gives a token. From its issue until a `stage.wait` for the token, the elements
    that it writes are pending: no operation may read or write them. The elements that it reads must not be written until then.

    With `bulk` a copy unit performs the copy as a whole, by a descriptor of the view: threads compute no addresses.

    Constraints:
    - (C1) At least one side is storage; both have one element type.
    - (C2) A view has one coordinate per dimension; storage one per dimension, or none.
    - (C3) The box has the storage's rank, and at most the view's; no size of it is greater than the storage's, and
      without coordinates of the storage it is the storage's shape.
    - (C4) Padding belongs to a source that is a view; `pad` has the element type, NaN is for floats, and `any`
      is not for copies.
    - (C5) There is a token exactly with `async`.
    - (C6) A `bulk` copy is `async`, from a view to storage.

    Numerics: exact. Since: 0.1.

    Example:
    ```mlir
    !S = memref<64x64xf32, #stage.space<"pad">>
    tile.kernel @k(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %i: index, %j: index) {
      %s = stage.alloc : !S
      %t = stage.copy async %a[%i, %j] to %s : !tile.view<?x?xf32>, !S
      stage.wait %t
      stage.copy %s to %b at [%i, %j] : !S, !tile.view<?x?xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<Stage_ViewOrStorage, "what is read">:$source, Arg<Variadic<Index>, "where the box starts there">:$from,
    Arg<Stage_ViewOrStorage, "what is written">:$target, Arg<Variadic<Index>, "where the box starts there">:$to,
    Arg<Optional<Stage_Scalar>, "what is read outside of the view">:$pad,
    UnitAttr:$async, UnitAttr:$from_offsets, UnitAttr:$to_offsets, OptionalAttr<DenseI64ArrayAttr>:$box,
    DefaultValuedAttr<Tile_Padding, "::kiln::tile::Padding::zero">:$padding, UnitAttr:$bulk);
  let results = (outs Optional<Stage_TokenType>:$token);
  let assemblyFormat = [{
    custom<Async>($async) (`bulk` $bulk^)? $source (`at` $from_offsets^)? (`[` $from^ `]`)?
    `` custom<Padding>($pad, type($pad), $padding)
    `to` $target (`at` $to_offsets^)? (`[` $to^ `]`)? (`box` $box^)? custom<Token>(ref($async), type($token))
    attr-dict `:` qualified(type($source)) `,` qualified(type($target))
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$token, "::mlir::Value":$source, "::mlir::ValueRange":$from, "::mlir::Value":$target,
    "::mlir::ValueRange":$to, "::mlir::Value":$pad, "::mlir::UnitAttr":$async, "::mlir::UnitAttr":$fromOffsets,
    "::mlir::UnitAttr":$toOffsets, "::mlir::DenseI64ArrayAttr":$box, "::kiln::tile::PaddingAttr":$padding), [{
    build($_builder, $_state, token, source, from, target, to, pad, async, fromOffsets, toOffsets, box, padding, ::mlir::UnitAttr());
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The sizes of what is moved.
    ::llvm::ArrayRef<int64_t> getCopied();
  }];
}

def Stage_WaitOp : Stage_Op<"wait", [
    AttrSizedOperandSegments, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Waits for asynchronous copies and matmuls";
  let description = [{
    After the wait the operations behind all `awaited` tokens and futures are complete. The results are the fragments of the
    futures, in order, and behind them the fragments and futures of `keep`, in order.

    - `but`: the number of latest asynchronous matmuls that the wait leaves in flight, for machines that count groups of
      matmuls. All older ones are complete after the wait: storage that they read may be written then. Each future still
      needs a wait of its own. Awaited futures must be among the older ones, which `reference` checks.
    - `keep`: values that must not change before the wait, such as the storage that an asynchronous matmul reads. Storage
      stays alive until the wait. A fragment or a future comes back as a result: what uses that result comes after the wait.

    Constraints:
    - (C1) There is at least one token or future.
    - (C2) `but` is not negative, and only futures are awaited with it.

    Each future needs exactly one wait on every path, which `verify-stage-form` checks. Since: 0.1; `but` since 0.3.

    Example: `stage.wait %t, %u`, and `%d = stage.wait %f : !stage.future<!F> keep %x, %y : !X, !Y`. With a count:
    `%e = stage.wait but 1 %g : !stage.future<!F>`.
  }];
  let arguments = (ins
    Arg<Variadic<AnyTypeOf<[Stage_TokenType, Stage_FutureType]>>, "tokens and futures in flight">:$awaited,
    Arg<Variadic<AnyType>, "values that must not change before the wait">:$kept, OptionalAttr<I64Attr>:$but);
  let results = (outs Variadic<AnyTypeOf<[Stage_Fragment, Stage_FutureType]>>:$results);
  let assemblyFormat = [{
    (`but` $but^)? custom<Awaited>($awaited, type($awaited)) (`keep` $kept^ `:` type($kept))? attr-dict
  }];
  let hasVerifier = 1;
}

def Stage_PrefetchOp : Stage_Op<"prefetch", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Fetches a box of a view into a cache before it is needed";
  let description = [{
    Has no effect on any result. A code generator asks the cache for each line of the box, or with `every` for the
    lines at bytes 0, `every`, 2 * `every`, ... of each row: a distance of a page touches the pages. With `near` the
    lines go to the nearest cache, otherwise to one that is farther from the registers. A machine without caches
    drops the operation. Coordinates as in `stage.copy`; no part of the box needs to lie in the view.

    Constraints:
    - (C1) There is one coordinate per dimension of the view.
    - (C2) The box has positive sizes and at most the view's rank.
    - (C3) `every` is positive.

    Since: 0.1; `every` and `near` since 0.2.

    Example: `stage.prefetch %a[%i, %k] box [64, 64] : !tile.view<?x?xf32>`, and
    `stage.prefetch %b at [%i] box [8192] every 4096 near : !tile.view<?xf32>`.
  }];
  let arguments = (ins
    Arg<Tile_ViewType, "what will be accessed">:$view, Arg<Variadic<Index>, "where the box starts">:$coords,
    UnitAttr:$element_offsets, DenseI64ArrayAttr:$box, OptionalAttr<I64Attr>:$every, UnitAttr:$near);
  let assemblyFormat = [{
    $view (`at` $element_offsets^ ` `)? `[` $coords `]` `box` $box (`every` $every^)? (`near` $near^)? attr-dict
    `:` qualified(type($view))
  }];
  let hasVerifier = 1;
}

def Stage_PrefetchAheadOp : Stage_Op<"prefetch_ahead", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Fetches what lies ahead of the elements that a region reads";
  let description = [{
    In a region, beside the read through a view that makes `tile`: where the pass over the box reads an element of
    the view, a cache may fetch the element that is `by` elements further along each dimension of the view. The lines
    are so asked for at the pace at which the region reads, and not at once as by `stage.prefetch`. Has no effect on any
    result, and the element need not lie in the view. `near` as in `stage.prefetch`.

    Constraints:
    - (C1) An operation that reads through a view, without indirect dimensions, makes the tile.
    - (C2) There is one distance per dimension of the view.

    Since: 0.2.

    Example:
    ```mlir
    tile.kernel @copy(%a: !tile.view<?x512xf32>, %b: !tile.view<?x512xf32>) {
      %i = tile.program_id : index
      %c0 = arith.constant 0 : index
      stage.compute [512] {
        %x = tile.load %a[%i, %c0] : !tile.view<?x512xf32> -> tensor<512xf32>
        stage.prefetch_ahead %x by [1, 0] near : tensor<512xf32>
        tile.store %x, %b[%i, %c0] : tensor<512xf32>, !tile.view<?x512xf32>
      }
    }
    ```
  }];
  let arguments = (ins
    Arg<Stage_Tile, "what is read">:$tile, DenseI64ArrayAttr:$by, UnitAttr:$near);
  let assemblyFormat = "$tile `by` $by (`near` $near^)? attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

#endif

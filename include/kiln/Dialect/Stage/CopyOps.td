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
  let summary = "Moves a box between a view and storage, or between storages";
  let description = [{
    target[to + i...] = source[from + i...] for i in the box, which is `box` or else the shape of the storage
    (of the source, where both are). Coordinates of a view are those of `tile.load`: `[...]` of blocks of the
    box, `at [...]` of elements, and a box of smaller rank has size 1 in the leading dimensions that it lacks.
    Coordinates of storage are elements, zeros if absent. What lies outside of a view reads as
    `padding` (zero, nan, a value) and is dropped when written.

    With `async` the copy is asynchronous, and its result is a token to wait for. From its issue until a
    wait for the token, the elements that it writes are pending, and those that it reads must not be written. With `bulk`
    a copy unit performs it as a whole, by a descriptor of the view: the code generator's threads compute no addresses.

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
  let summary = "Waits until asynchronous operations are done";
  let description = [{
    Results are the fragments of the futures among the operands, in order. `keep` names values that must stay
    as they are until then, such as the storage that a product reads; it does nothing.

    Constraints:
    - (C1) At least one token or future is waited for.

    A future is waited for once on every path, which `verify-stage-form` checks. Since: 0.1.

    Example: `stage.wait %t, %u`, and `%d = stage.wait %f : !stage.future<!F> keep %x, %y : !X, !Y`.
  }];
  let arguments = (ins
    Arg<Variadic<AnyTypeOf<[Stage_TokenType, Stage_FutureType]>>, "what is under way">:$awaited,
    Arg<Variadic<AnyType>, "what stays as it is">:$kept);
  let results = (outs Variadic<Stage_Fragment>:$results);
  let assemblyFormat = [{
    custom<Awaited>($awaited, type($awaited)) (`keep` $kept^ `:` type($kept))? attr-dict
  }];
  let hasVerifier = 1;
}

def Stage_PrefetchOp : Stage_Op<"prefetch", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Says that a box of a view will be needed";
  let description = [{
    Has no effect on any result; a cache may fetch the box. Coordinates as in `stage.copy`; no part of
    the box needs to lie in the view.

    Constraints:
    - (C1) There is one coordinate per dimension of the view.
    - (C2) The box has positive sizes and at most the view's rank.

    Since: 0.1. Example: `stage.prefetch %a[%i, %k] box [64, 64] : !tile.view<?x?xf32>`.
  }];
  let arguments = (ins
    Arg<Tile_ViewType, "what will be read">:$view, Arg<Variadic<Index>, "where the box starts">:$coords,
    UnitAttr:$element_offsets, DenseI64ArrayAttr:$box);
  let assemblyFormat = [{
    $view (`at` $element_offsets^ ` `)? `[` $coords `]` `box` $box attr-dict `:` qualified(type($view))
  }];
  let hasVerifier = 1;
}

#endif

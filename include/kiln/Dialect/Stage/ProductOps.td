// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matmuls of blocks that are in storage (scratchpad, shared memory) or registers, synchronous or asynchronous (wgmma-like MMAs).
#ifndef KILN_DIALECT_STAGE_PRODUCTOPS_TD
#define KILN_DIALECT_STAGE_PRODUCTOPS_TD

include "kiln/Dialect/Stage/StageAttrs.td"
include "kiln/Dialect/Stage/StageTypes.td"
include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Stage_ProductOp : Stage_Op<"product", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Matmul of blocks in storage or registers: adds lhs * rhs to an accumulator";
  let description = [{
    Computes acc[m, n] + sum over k of lhs[m, k] * rhs[k, n], as `tile.dot` does, for m, n and k below the sizes of `block`.

    - `block`: the sizes of m, n and k. The default is the shape of the accumulator and the number of columns of lhs.
    - `rows`, `columns`, `depth`: the valid sizes of m, n and k at run time, at most those of `block`; elements beyond them do not
      contribute. A code generator may compute full blocks if the storage of the accumulator has gaps or slack for them.
    - `fresh`: if true, the accumulator counts as zero and is not read (beta = 0).
    - `lhs`, `rhs`, `acc`: storage, from an origin (a coordinate) if one is given, or fragments (tiles in registers). rhs may also be a
      view; its valid elements must lie inside of the view. An operand of higher rank holds many matrices in its last two
      dimensions; the origin selects one.
    - `lhs_as`, `rhs_as`: the type of the tile as which threads read an operand in storage. The encoding
      of this type, a layout, states which thread reads which element. Without `lhs_as` or `rhs_as` the instruction itself reads the storage
      (an MMA with shared-memory operands).
    - `lhs_transposed`, `rhs_transposed`: the tile is the transposed storage.
    - `minus`: a row of integers that is subtracted from every row of the sum, such as a correction for operands stored with an offset.
    - `by`: the name of the matrix instruction of the target's description. It does not change the meaning.
    - `exchanged`: the instruction computes the transposed sum, with lhs and rhs exchanged. It does not change the meaning.
    - `max_imprecise_acc`: as in `tile.dot`.

    | accumulator | without `async` | with `async` |
    |---|---|---|
    | in storage | updated in place | updated in place; the result is a token, and until a wait the accumulator is pending |
    | fragment | the sum is the result | the result is a future of the sum |

    With `async` the matmul is in flight until a `stage.wait` for its future or token. Until then its result must not be read, and the storage of
    its operands must not be written; writes by threads before it need a fence and a barrier, which `simt-insert-barriers` places on GPUs.
    The accumulator may be the future of an earlier
    asynchronous matmul: this one adds to its sum without a wait between them. The earlier future still needs a wait of its own.

    Code generators for CPUs and scratchpads lower it directly; that for GPUs makes it `simt.mma` or `simt.mma_async`.

    Constraints:
    - (C1) Operands have rank 2, or more where they have an origin; origins have one coordinate for each dimension,
      and are of storage or views. Or all operands are fragments of rank 3, whose first dimension counts matrices.
    - (C2) `block` is three positive sizes. They are within the operands, except in a dimension with `rows`, `columns` or `depth`, and
      equal to the shape of a fragment.
    - (C3) Element types are those that `tile.dot` takes, or integers of 64 bits.
    - (C4) The result is the accumulator's type, a future of it, a token, or nothing, as in the table. An accumulator that
      is a future needs `async`.
    - (C5) lhs has as many columns as rhs has rows, unless `block` or `depth` states the size of k.
    - (C6) `minus` is storage of integers, of the accumulator's type and rank, with one row and at most as many columns as n.
    - (C7) `fresh` is for an accumulator in storage.
    - (C8) `lhs_as` and `rhs_as` are for whole storage: of its shape, transposed as stated, with elements as wide as its own.
      `lhs_transposed` and `rhs_transposed` go with them.
    - (C9) `exchanged` is for a product by an instruction. `max_imprecise_acc` is not negative.

    Numerics: those of `tile.dot`; the order of the sum is unspecified. Since: 0.1.

    Example:
    ```mlir
    !S = memref<64x64xbf16, #stage.space<"pad">>
    !C = memref<64x64xf32, #stage.space<"pad">>
    !F = tensor<64x64xf32, {rows = 8 : i64}>
    tile.kernel @k(%p: index, %q: index, %y: !tile.view<?x?xf32>) {
      %a = stage.alloc : !S
      %acc = stage.alloc : !C
      stage.compute [64, 64] {
        %o = arith.constant dense<1.0> : tensor<64x64xbf16>
        %z = arith.constant dense<0.0> : tensor<64x64xf32>
        stage.write %o, %a : tensor<64x64xbf16>, !S
        stage.write %z, %acc : tensor<64x64xf32>, !C
      }
      stage.product %a[%p, %q], %a[%q, %p], %acc[%p, %p] block [16, 16, 16] by @mac16 : !S, !S, !C
      %zero = arith.constant dense<0.0> : !F
      %f = stage.product async %a, %a, %zero : !S, !S, !F
      %s = stage.wait %f : !stage.future<!F>
      tile.store %s, %y[%p, %q] : !F, !tile.view<?x?xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<AnyTypeOf<[Stage_Storage, Stage_Fragment]>, "the left operand">:$lhs,
    Arg<Variadic<Index>, "coordinates of its first element">:$lhs_origin,
    Arg<AnyTypeOf<[Stage_Storage, Stage_Fragment, Tile_ViewType]>, "the right operand">:$rhs,
    Arg<Variadic<Index>, "coordinates of its first element">:$rhs_origin,
    Arg<AnyTypeOf<[Stage_Storage, Stage_Fragment, Stage_FutureType]>, "the accumulator">:$acc,
    Arg<Variadic<Index>, "coordinates of its first element">:$acc_origin,
    Arg<Optional<Index>, "the valid size of k">:$depth,
    Arg<Optional<Index>, "the valid size of m">:$rows, Arg<Optional<Index>, "the valid size of n">:$columns,
    Arg<Optional<Stage_Storage>, "the row that is subtracted from every row">:$minus,
    Arg<Optional<I1>, "whether the accumulator counts as zero">:$fresh,
    OptionalAttr<DenseI64ArrayAttr>:$block, OptionalAttr<FlatSymbolRefAttr>:$row, UnitAttr:$async,
    DefaultValuedAttr<Tile_InputPrecision, "::kiln::tile::InputPrecision::ieee">:$input_precision,
    UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned,
    OptionalAttr<TypeAttrOf<AnyRankedTensor>>:$lhs_as, OptionalAttr<TypeAttrOf<AnyRankedTensor>>:$rhs_as,
    UnitAttr:$lhs_transposed, UnitAttr:$rhs_transposed, UnitAttr:$exchanged,
    DefaultValuedAttr<I64Attr, "0">:$max_imprecise_acc);
  let results = (outs Optional<AnyTypeOf<[Stage_Fragment, Stage_FutureType, Stage_TokenType]>>:$result);
  let assemblyFormat = [{
    custom<Async>($async) $lhs (`[` $lhs_origin^ `]`)? `,` $rhs (`[` $rhs_origin^ `]`)? `,` $acc (`[` $acc_origin^ `]`)?
    (`depth` $depth^)? (`rows` $rows^)? (`columns` $columns^)? (`minus` $minus^ `:` type($minus))?
    (`fresh` $fresh^)?
    (`block` $block^)? (`precision` $input_precision^)?
    (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)? (`by` $row^)? attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($acc) custom<SumType>(ref($async), ref(type($acc)), type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The sizes of m, n and k: those of `block`, or their defaults.
    std::array<int64_t, 3> getSizes();
    /// The type as which the left (0) or the right (1) operand is read: a matrix, or a batch of matrices.
    ::mlir::ShapedType getFactorType(int which);
    /// The type of the accumulator's storage or fragment, also if the accumulator is a future of one.
    ::mlir::ShapedType getAccType();
    /// The left (0) or the right (1) operand.
    ::mlir::Value getFactor(int which) { return which == 0 ? getLhs() : getRhs(); }
  }];
}

#endif

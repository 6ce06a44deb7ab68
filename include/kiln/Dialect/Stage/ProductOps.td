// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products by instructions of the target.
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
  let summary = "Adds the product of two matrices to an accumulator";
  let description = [{
    acc[m, n] + sum over k of lhs[m, k] * rhs[k, n], as `tile.dot`, for m, n and k below the sizes of `block`.
    Without `block` they are the sizes of the accumulator and the columns of lhs. `rows`, `columns` and `depth`
    replace the numbers of m, n and k, at most as many; a family may compute whole blocks where the storage of the
    accumulator has gaps or slack for them. Where `fresh` is true the accumulator counts as zero, and is not read. Operands are storage, at an origin if one is given, or fragments; rhs may
    be a view, of which what counts must lie inside. Operands of higher rank are one matrix of many, the last two
    dimensions, where their origin says. `minus` is a row that is subtracted from every row of the sum.

    An accumulator in storage is updated in place. An accumulator that is a fragment gives the sum as a result, or
    with `async` as a future. An accumulator in storage with `async` gives a token; until a wait the accumulator is
    pending. Either way storage that is read must not be written until then.

    `by` names the row of the target's table of matrix instructions; it does not change the meaning.

    Constraints:
    - (C1) Operands have rank 2, or more where they have an origin; origins have one coordinate for each dimension,
      and are of storage or views.
    - (C2) `block` is three positive sizes; they are within the operands but where `rows`, `columns` or `depth` says
      how many count, and equal to a fragment's shape.
    - (C3) Element types are those that `tile.dot` takes.
    - (C4) The result is the accumulator's type, a future of it, a token, or nothing, as said above.
    - (C5) lhs has as many columns as rhs has rows, unless `block` or `depth` says how many count.
    - (C6) `minus` is storage of integers, of the accumulator's type and rank, one row of as many columns as count at
      most.
    - (C7) Only an accumulator in storage is `fresh`.

    Numerics: those of `tile.dot`: the order of the sum is not said. Since: 0.1.

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
    Arg<AnyTypeOf<[Stage_Storage, Stage_Fragment]>, "the left matrix">:$lhs,
    Arg<Variadic<Index>, "where it starts">:$lhs_origin,
    Arg<AnyTypeOf<[Stage_Storage, Stage_Fragment, Tile_ViewType]>, "the right matrix">:$rhs,
    Arg<Variadic<Index>, "where it starts">:$rhs_origin,
    Arg<AnyTypeOf<[Stage_Storage, Stage_Fragment]>, "what is added to">:$acc,
    Arg<Variadic<Index>, "where it starts">:$acc_origin,
    Arg<Optional<Index>, "how many k count">:$depth,
    Arg<Optional<Index>, "how many m count">:$rows, Arg<Optional<Index>, "how many n count">:$columns,
    Arg<Optional<Stage_Storage>, "what is subtracted from every row">:$minus,
    Arg<Optional<I1>, "whether the accumulator counts as zero">:$fresh,
    OptionalAttr<DenseI64ArrayAttr>:$block, OptionalAttr<FlatSymbolRefAttr>:$row, UnitAttr:$async,
    DefaultValuedAttr<Tile_InputPrecision, "::kiln::tile::InputPrecision::ieee">:$input_precision,
    UnitAttr:$lhs_unsigned, UnitAttr:$rhs_unsigned);
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
    /// Rows, columns and depth that count at most.
    std::array<int64_t, 3> getSizes();
  }];
}

#endif

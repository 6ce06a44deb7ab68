// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing windows at computed places.
#ifndef KILN_DIALECT_PRIM_SCATTEROPS_TD
#define KILN_DIALECT_PRIM_SCATTEROPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/Accumulation.td"

def Prim_GatherSlicesOp : Prim_Op<"gather_slices", [Pure, ExactResult]> {
  let summary = "Reads slices that start at computed places";
  let description = [{
    The first `batch_dims` dimensions of operand, indices and result are matched. An element of
    the others but the last dimension of `indices` is a place: its coordinates along `dims`, read as
    signed, and 0 along other dimensions. There a slice of `slice_sizes` starts, one for each
    dimension of the operand that is not matched; -1 is the size of the operand. Coordinates are
    clamped to [0, size of the operand - size of the slice].

    result[b..., i..., s...] = operand[b..., start(indices[b..., i..., :]) + s...]

    Composite: `gather` with computed indices.

    Constraints:
    - (C1) 0 <= batch_dims <= rank of the operand, and < rank of the indices.
    - (C2) `dims` are distinct dimensions of the operand that are not matched, as many as the
      last dimension of the indices has elements.
    - (C3) There is one slice size for each dimension of the operand that is not matched, -1 or from 0 to its size.
    - (C4) Operand and indices have the same batch sizes.
    - (C5) Operand and result have the same element type.
    - (C6) The result has the shape of the formula.

    Example: `%r = prim.gather_slices %x, %i dims [1, 0] batch_dims 0 slice_sizes [1, 2] : tensor<4x8xf32>, tensor<5x2xi32> -> tensor<5x1x2xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, Prim_IntTensor:$indices, DenseI64ArrayAttr:$dims,
    I64Attr:$batch_dims, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $indices `dims` $dims `batch_dims` $batch_dims `slice_sizes` $slice_sizes attr-dict
    `:` type($operand) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Prim_ScatterOp : Prim_Op<"scatter", [Pure, AllTypesMatch<["operand", "result"]>,
    DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Combines windows with a tensor at computed places";
  let description = [{
    The first `batch_dims` dimensions of operand, indices and updates are matched. An element of
    the others but the last dimension of `indices` is a place: its coordinates along `dims`, read as
    signed, and 0 along other dimensions. There the window of `updates` with the same indices
    starts, and each of its elements is combined with that of the operand; elements that fall outside
    of the operand are dropped:

    result[b..., start(indices[b..., i..., :]) + w...] = combine(that, updates[b..., i..., w...])

    for all places in row-major order. `combine`: `set` takes the update, so that the last one
    counts; `add` and `mul` wrap on integers and round each time on floats, f16 and bf16 included; `min`, `max`: as
    `prim.minimum`, `prim.maximum`; `umin`, `umax`: integers as unsigned; `and`, `or`, `xor`: bits.
    i1 is combined as a truth value: `add`, `max`, `umax` mean any, `mul`, `min`, `umin` all. With `unique` no two windows of a batch overlap;
    where they do all the same, the result is unspecified.
    A target may combine in another order: |error| <= c * n * eps * sum |x| for sums.

    Constraints:
    - (C1) 0 <= batch_dims <= rank of the operand, and < rank of the indices.
    - (C2) `dims` are distinct dimensions of the operand that are not matched, as many as the
      last dimension of the indices has elements.
    - (C3) Operand, indices and updates have the same batch sizes.
    - (C4) Operand and updates have the same element type, which `combine` takes: `umin`, `umax`, `and`, `or`
      and `xor` are for integers and truth values.
    - (C5) The updates have the shape of the formula, with windows that are in no dimension larger
      than the operand.

    Example: `%r = prim.scatter add %x, %i, %u dims [0] batch_dims 0 : tensor<4x8xf32>, tensor<5x1xi32>, tensor<5x1x8xf32>`.
  }];
  let arguments = (ins Prim_ScatterKind:$combine, Prim_Tensor:$operand, Prim_IntTensor:$indices, Prim_Tensor:$updates,
    DenseI64ArrayAttr:$dims, I64Attr:$batch_dims, UnitAttr:$unique);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = [{
    $combine $operand `,` $indices `,` $updates `dims` $dims `batch_dims` $batch_dims (`unique` $unique^)? attr-dict
    `:` type($operand) `,` type($indices) `,` type($updates)
  }];
  let hasVerifier = 1;
}

#endif

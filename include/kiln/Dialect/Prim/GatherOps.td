// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indexed reading.
#ifndef KILN_DIALECT_PRIM_GATHEROPS_TD
#define KILN_DIALECT_PRIM_GATHEROPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

def Prim_GatherOp : Prim_Op<"gather", [Pure, ExactResult]> {
  let summary = "Reads slices at computed positions along a dimension";
  let description = [{
    The first `batch_dims` dimensions of operand and indices are matched. Dimension
    `dim` of the operand is replaced by the other dimensions of
    `indices`: result[b..., p..., i..., q...] = operand[b..., p..., indices[b..., i...], q...].
    Indices are signed. An index outside of [0, size) reads poison: on `reference` an error if a result, a condition or a
    size depends on it, on other targets 0.

    Constraints:
    - (C1) 0 <= batch_dims <= rank of the indices.
    - (C2) batch_dims <= dim < rank of the operand.
    - (C3) Operand and indices have the same batch sizes.
    - (C4) Operand and result have the same element type.
    - (C5) The result has the shape of the formula.

    Example: `%r = prim.gather %x, %i dim 0 batch_dims 0 : tensor<100x8xf32>, tensor<4xi32> -> tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, Prim_IntTensor:$indices, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices `dim` $dim `batch_dims` $batch_dims attr-dict `:` type($operand) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

#endif

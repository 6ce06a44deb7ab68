// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations with a decomposition into simpler ones.
#ifndef KILN_DIALECT_PRIM_COMPOSITEOPS_TD
#define KILN_DIALECT_PRIM_COMPOSITEOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/Accumulation.td"

/// Composites stay whole until targets and fusion have seen them; `prim-decompose` expands them.
class Prim_CompositeUnaryOp<string mnemonic, list<Trait> traits = []>
    : Prim_Op<mnemonic, !listconcat([Pure, AllTypesMatch<["operand", "result"]>], traits)> {
  let arguments = (ins Prim_FloatTensor:$operand);
  let results = (outs Prim_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Prim_SigmoidOp : Prim_CompositeUnaryOp<"sigmoid"> {
  let summary = "1 / (1 + exp(-x))";
  let description = [{
    1 / (1 + exp(-x)), computed in f32 or wider and rounded once.
    Example: `%r = prim.sigmoid %x : tensor<4xf32>`.
  }];
}

def Prim_SiluOp : Prim_CompositeUnaryOp<"silu"> {
  let summary = "x * sigmoid(x)";
  let description = [{
    x * sigmoid(x), computed in f32 or wider and rounded once.
    Example: `%r = prim.silu %x : tensor<4xf32>`.
  }];
}

def Prim_ReluOp : Prim_CompositeUnaryOp<"relu", [ExactResult]> {
  let summary = "maximum(x, 0)";
  let description = [{
    maximum(x, 0). Exact; NaN stays NaN.
    Example: `%r = prim.relu %x : tensor<4xf32>`.
  }];
}

def Prim_GeluOp : Prim_Op<"gelu", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `exact`: x / 2 * (1 + erf(x / sqrt(2))); `tanh`:
    x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))). Computed in f32 or wider and rounded once.
    Example: `%r = prim.gelu %x exact : tensor<4xf32>`.
  }];
  let arguments = (ins Prim_FloatTensor:$operand, Prim_GeluKind:$kind);
  let results = (outs Prim_FloatTensor:$result);
  let assemblyFormat = "$operand $kind attr-dict `:` type($result)";
}

def Prim_SoftmaxOp : Prim_Op<"softmax", [Pure, DeclareOpInterfaceMethods<AccumulationOpInterface>, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Exponentials normalised along a dimension";
  let description = [{
    exp(x - max) / sum(exp(x - max)) along `dim`, computed in f32 or wider and rounded once;
    |error| <= c * n * eps * result for n elements along `dim`.

    Constraints:
    - (C1) Operand and result have the same type.
    - (C2) `dim` is a dimension of the operand.

    Example: `%r = prim.softmax %x dim 1 : tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_FloatTensor:$operand, I64Attr:$dim);
  let results = (outs Prim_FloatTensor:$result);
  let assemblyFormat = "$operand `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Prim_RmsNormOp : Prim_Op<"rms_norm", [Pure, DeclareOpInterfaceMethods<AccumulationOpInterface>, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Root mean square normalisation over trailing dimensions";
  let description = [{
    x * rsqrt(mean(x^2) + eps) * weight over the trailing `axes` dimensions (`axes` = number of
    them), computed in f32 or wider and rounded once. `weight` has the shape of those dimensions.

    Constraints:
    - (C1) Operand and result have the same type.
    - (C2) 1 <= axes <= rank.
    - (C3) `eps` is finite and at least 0.
    - (C4) The weight has the element type and the trailing shape of the operand.

    Example: `%r = prim.rms_norm %x weight %w axes 1 eps 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>`.
  }];
  let arguments = (ins Prim_FloatTensor:$operand, Optional<Prim_FloatTensor>:$weight, I64Attr:$axes, F64Attr:$eps);
  let results = (outs Prim_FloatTensor:$result);
  let assemblyFormat = [{
    $operand (`weight` $weight^)? `axes` $axes `eps` $eps attr-dict `:` type($result) (`,` type($weight)^)?
  }];
  let hasVerifier = 1;
}

def Prim_LayerNormOp : Prim_Op<"layer_norm", [Pure, DeclareOpInterfaceMethods<AccumulationOpInterface>, AttrSizedOperandSegments, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Normalisation to mean 0 and variance 1 over trailing dimensions";
  let description = [{
    (x - mean) * rsqrt(var + eps) * weight + bias over the trailing `axes` dimensions, with var =
    mean((x - mean)^2), computed in f32 or wider and rounded once. weight and bias have the shape of
    those dimensions.

    Constraints:
    - (C1) Operand and result have the same type.
    - (C2) 1 <= axes <= rank.
    - (C3) `eps` is finite and at least 0.
    - (C4) Weight and bias have the element type and the trailing shape of the operand.
    - (C5) Where there is a bias there is a weight.

    Example: `%r = prim.layer_norm %x weight %w bias %b axes 1 eps 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>`.
  }];
  let arguments = (ins Prim_FloatTensor:$operand, Optional<Prim_FloatTensor>:$weight,
                       Optional<Prim_FloatTensor>:$bias, I64Attr:$axes, F64Attr:$eps);
  let results = (outs Prim_FloatTensor:$result);
  let assemblyFormat = [{
    $operand (`weight` $weight^)? (`bias` $bias^)? `axes` $axes `eps` $eps attr-dict
    `:` type($result) (`,` type($weight)^)? (`,` type($bias)^)?
  }];
  let hasVerifier = 1;
}

def Prim_AttentionOp : Prim_Op<"attention", [Pure, DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Scaled dot-product attention";
  let description = [{
    query: [B..., M, D], key: [B..., N, D], value: [B..., N, E], result: [B..., M, E].
    softmax(query * key^T * scale + mask) * value along N; `mask` has shape [B..., M, N]. Scores, exponentials and sums are
    computed in f32 or wider. A target may round the weights of the softmax to the element type before they multiply the
    values, as FlashAttention (Dao et al. 2022) and libraries do; the result is rounded once.

    Constraints:
    - (C1) The query has rank 2 or more.
    - (C2) Query, key, value and result have the same element type.
    - (C3) Key, value and result have the shapes above.
    - (C4) The mask has the element type and the shape [B..., M, N].

    Example:
    ```mlir
    %r = prim.attention %q, %k, %v mask %m scale 0.125 : tensor<8x16x64xf32>, tensor<8x16x64xf32>,
      tensor<8x16x64xf32>, tensor<8x16x16xf32> -> tensor<8x16x64xf32>
    ```
  }];
  let arguments = (ins Prim_FloatTensor:$query, Prim_FloatTensor:$key, Prim_FloatTensor:$value,
                       Optional<Prim_FloatTensor>:$mask, F64Attr:$scale);
  let results = (outs Prim_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? `scale` $scale attr-dict
    `:` type($query) `,` type($key) `,` type($value) (`,` type($mask)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif

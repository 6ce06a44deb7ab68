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

    The optional second result, of shape [B..., M], is log(sum(exp(query * key^T * scale + mask))) along N, from which
    `prim.attention_backward` computes the weights again. It is minus infinity where the mask excludes every key.

    Constraints:
    - (C1) The query has rank 2 or more.
    - (C2) Query, key, value and result have the same element type.
    - (C3) Key, value and result have the shapes above.
    - (C4) The mask has the element type and the shape [B..., M, N].
    - (C5) The logarithm has the shape [B..., M] and the type that scores are computed in: f64 for f64, f32 else.

    Example:
    ```mlir
    %r = prim.attention %q, %k, %v mask %m scale 0.125 : tensor<8x16x64xf32>, tensor<8x16x64xf32>,
      tensor<8x16x64xf32>, tensor<8x16x16xf32> -> tensor<8x16x64xf32>
    %s, %l = prim.attention %q, %k, %v scale 0.125 : tensor<8x16x64xf32>, tensor<8x16x64xf32>,
      tensor<8x16x64xf32> -> tensor<8x16x64xf32>, tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Prim_FloatTensor:$query, Prim_FloatTensor:$key, Prim_FloatTensor:$value,
                       Optional<Prim_FloatTensor>:$mask, F64Attr:$scale);
  let results = (outs Prim_FloatTensor:$result, Optional<Prim_FloatTensor>:$logsumexp);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? `scale` $scale attr-dict
    `:` type($query) `,` type($key) `,` type($value) (`,` type($mask)^)? `->` type($result) (`,` type($logsumexp)^)?
  }];
  let hasVerifier = 1;
}

def Prim_AttentionBackwardOp : Prim_Op<"attention_backward",
    [Pure, DeclareOpInterfaceMethods<AccumulationOpInterface>, AllTypesMatch<["query", "query_gradient"]>,
     AllTypesMatch<["key", "key_gradient"]>, AllTypesMatch<["value", "value_gradient"]>]> {
  let summary = "Gradients of scaled dot-product attention";
  let description = [{
    The gradients of a function of `output`, the result of `prim.attention` for the same query, key, value, mask and scale,
    by query, key and value. `gradient` is the gradient by `output`; `logsumexp` is the second result of `prim.attention`.
    With the formulas of FlashAttention-2 (Dao 2023, algorithm 2):

    ```
    weights        = exp(query * key^T * scale + mask - logsumexp)         [B..., M, N]
    value_gradient = weights^T * gradient
    weighted       = sum(output * gradient) along E                        [B..., M]
    scores         = weights * (gradient * value^T - weighted) * scale     [B..., M, N]
    query_gradient = scores * key
    key_gradient   = scores^T * query
    ```

    Where `logsumexp` is minus infinity, a query that sees no key, weights are zero. Weights and scores are computed in f32
    or wider. A target may round both to the element type before they multiply, as libraries do; results are rounded once.
    The mask has no gradient here.

    Constraints:
    - (C1) The query has rank 2 or more.
    - (C2) All operands but the logarithm have the element type of the query.
    - (C3) Key and value have the shapes [B..., N, D] and [B..., N, E] for a query of [B..., M, D].
    - (C4) The output and its gradient have the shape [B..., M, E].
    - (C5) The logarithm has the shape [B..., M] and the type f64 for f64, f32 else.
    - (C6) The mask has the shape [B..., M, N].
    - (C7) Gradients have the types of query, key and value.

    Example:
    ```mlir
    %dq, %dk, %dv = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.125 :
      tensor<8x16x64xf32>, tensor<8x20x64xf32>, tensor<8x20x64xf32>, tensor<8x16x64xf32>, tensor<8x16x64xf32>,
      tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Prim_FloatTensor:$query, Prim_FloatTensor:$key, Prim_FloatTensor:$value, Prim_FloatTensor:$output,
                       Prim_FloatTensor:$gradient, Prim_FloatTensor:$logsumexp, Optional<Prim_FloatTensor>:$mask,
                       F64Attr:$scale);
  let results = (outs Prim_FloatTensor:$query_gradient, Prim_FloatTensor:$key_gradient, Prim_FloatTensor:$value_gradient);
  let assemblyFormat = [{
    $query `,` $key `,` $value `output` $output `gradient` $gradient `logsumexp` $logsumexp (`mask` $mask^)?
    `scale` $scale attr-dict `:` type($query) `,` type($key) `,` type($value) `,` type($output) `,` type($gradient) `,`
    type($logsumexp) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

#endif

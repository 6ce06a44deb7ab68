// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, equations, transforms, norms and random numbers of StableHLO.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLOPRODUCTOPS_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLOPRODUCTOPS_TD

include "kiln/Dialect/Stablehlo/StablehloAttrs.td"

def SH_PrecisionConfig : TypedArrayAttrBase<SH_PrecisionAttr, "precision of each operand">;

def SH_DotOp : SH_Op<"dot", [Pure]> {
  let summary = "Product of vectors or matrices";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, OptionalAttr<SH_PrecisionConfig>:$precision_config);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict `:` functional-type(operands, results)
  }];
}

def SH_DotGeneralOp : SH_Op<"dot_general", [Pure]> {
  let summary = "Products summed over contracted dimensions";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, SH_DotAttr:$dot_dimension_numbers,
    OptionalAttr<SH_PrecisionConfig>:$precision_config, OptionalAttr<SH_DotAlgorithmAttr>:$algorithm);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) ``
    custom<PrecisionAndAlgorithm>($precision_config, $algorithm) attr-dict `:` functional-type(operands, results)
  }];
}

def SH_EinsumOp : SH_Op<"einsum", [Pure]> {
  let summary = "Products in Einstein's notation";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

def SH_UnaryEinsumOp : SH_Op<"unary_einsum", [Pure]> {
  let summary = "Sums in Einstein's notation";
  let arguments = (ins SH_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

def SH_ConvolutionOp : SH_Op<"convolution", [Pure]> {
  let summary = "Convolution over any number of spatial dimensions";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    SH_ConvAttr:$dimension_numbers, I64Attr:$feature_group_count, I64Attr:$batch_group_count,
    OptionalAttr<SH_PrecisionConfig>:$precision_config);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
    `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
    $window_reversal) `}` attr-dict `:` functional-type(operands, results)
  }];
}

def SH_FftOp : SH_Op<"fft", [Pure]> {
  let summary = "Fourier transform of the last dimensions";
  let arguments = (ins SH_Tensor:$operand, SH_FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:` functional-type(operands, results)
  }];
}

def SH_CholeskyOp : SH_Op<"cholesky", [Pure]> {
  let summary = "Triangular root of matrices";
  let arguments = (ins SH_Tensor:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameType>(type($a), type($result))";
}

def SH_TriangularSolveOp : SH_Op<"triangular_solve", [Pure]> {
  let summary = "Solves equations of triangular matrices";
  let arguments = (ins SH_Tensor:$a, SH_Tensor:$b, BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
    SH_TransposeAttr:$transpose_a);
  let results = (outs SH_Tensor:$result);
}

def SH_BatchNormInferenceOp : SH_Op<"batch_norm_inference", [Pure]> {
  let summary = "Normalises with given statistics";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$scale, SH_Tensor:$offset, SH_Tensor:$mean,
    SH_Tensor:$variance, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs SH_Tensor:$result);
}

def SH_BatchNormTrainingOp : SH_Op<"batch_norm_training", [Pure]> {
  let summary = "Normalises with the statistics of its operand";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$scale, SH_Tensor:$offset, F32Attr:$epsilon,
    I64Attr:$feature_index);
  let results = (outs SH_Tensor:$output, SH_Tensor:$batch_mean, SH_Tensor:$batch_var);
}

def SH_BatchNormGradOp : SH_Op<"batch_norm_grad", [Pure]> {
  let summary = "Gradients of a normalisation";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$scale, SH_Tensor:$mean, SH_Tensor:$variance,
    SH_Tensor:$grad_output, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs SH_Tensor:$grad_operand, SH_Tensor:$grad_scale, SH_Tensor:$grad_offset);
}

def SH_RngOp : SH_Op<"rng"> {
  let summary = "Random numbers of a distribution";
  let arguments = (ins SH_Tensor:$a, SH_Tensor:$b, SH_Tensor:$shape, SH_RngDistributionAttr:$rng_distribution);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict `:` functional-type(operands, results)
  }];
}

def SH_RngBitGeneratorOp : SH_Op<"rng_bit_generator", [Pure]> {
  let summary = "Random bits and the next state";
  let arguments = (ins SH_RngAlgorithmAttr:$rng_algorithm, SH_Tensor:$initial_state);
  let results = (outs SH_Tensor:$output_state, SH_Tensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:` functional-type(operands, results)
  }];
}

#endif

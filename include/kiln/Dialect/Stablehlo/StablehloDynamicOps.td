// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of StableHLO whose parameters are tensors.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLODYNAMICOPS_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLODYNAMICOPS_TD

include "kiln/Dialect/Stablehlo/StablehloAttrs.td"

class SH_DynamicOp<string mnemonic, dag ins> : SH_Op<mnemonic, [Pure]> {
  let arguments = ins;
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def SH_DynamicReshapeOp : SH_DynamicOp<"dynamic_reshape", (ins SH_Tensor:$operand, SH_Tensor:$output_shape)>;
def SH_DynamicPadOp : SH_DynamicOp<"dynamic_pad", (ins SH_Tensor:$operand, SH_Tensor:$padding_value,
  SH_Tensor:$edge_padding_low, SH_Tensor:$edge_padding_high, SH_Tensor:$interior_padding)>;
def SH_RealDynamicSliceOp : SH_DynamicOp<"real_dynamic_slice",
  (ins SH_Tensor:$operand, SH_Tensor:$start_indices, SH_Tensor:$limit_indices, SH_Tensor:$strides)>;

def SH_DynamicIotaOp : SH_Op<"dynamic_iota", [Pure]> {
  let summary = "Indices along a dimension of a computed shape";
  let arguments = (ins SH_Tensor:$output_shape, I64Attr:$iota_dimension);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
}

def SH_DynamicBroadcastInDimOp : SH_Op<"dynamic_broadcast_in_dim", [Pure]> {
  let summary = "Repeats a tensor to a computed shape";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$output_dimensions, DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict
    `:` functional-type(operands, results)
  }];
}

def SH_DynamicGatherOp : SH_Op<"dynamic_gather", [Pure]> {
  let summary = "Parts of computed size at computed positions";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$start_indices, SH_Tensor:$slice_sizes,
    SH_GatherAttr:$dimension_numbers, DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs SH_Tensor:$result);
}

def SH_DynamicConvOp : SH_Op<"dynamic_conv", [Pure]> {
  let summary = "Convolution with computed padding";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, SH_Tensor:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    SH_ConvAttr:$dimension_numbers, I64Attr:$feature_group_count, I64Attr:$batch_group_count,
    OptionalAttr<TypedArrayAttrBase<SH_PrecisionAttr, "precisions">>:$precision_config);
  let results = (outs SH_Tensor:$result);
}

#endif

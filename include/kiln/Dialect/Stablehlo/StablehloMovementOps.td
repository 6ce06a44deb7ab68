// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of StableHLO that make or move elements.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLOMOVEMENTOPS_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLOMOVEMENTOPS_TD

include "kiln/Dialect/Stablehlo/StablehloAttrs.td"

def SH_ConstantOp : SH_Op<"constant", [Pure]> {
  let summary = "A tensor known at compile time";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs SH_Tensor:$output);
  let hasCustomAssemblyFormat = 1;
}

def SH_IotaOp : SH_Op<"iota", [Pure]> {
  let summary = "Indices along a dimension";
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs SH_Tensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}

class SH_PlainOp<string mnemonic, dag ins> : SH_Op<mnemonic, [Pure]> {
  let arguments = ins;
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def SH_ReshapeOp : SH_PlainOp<"reshape", (ins SH_Tensor:$operand)>;
def SH_DynamicUpdateSliceOp : SH_PlainOp<"dynamic_update_slice",
  (ins SH_Tensor:$operand, SH_Tensor:$update, Variadic<SH_Tensor>:$start_indices)>;

def SH_BroadcastOp : SH_Op<"broadcast", [Pure]> {
  let summary = "Repeats a tensor along new leading dimensions";
  let arguments = (ins SH_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
}

def SH_BroadcastInDimOp : SH_Op<"broadcast_in_dim", [Pure]> {
  let summary = "Repeats a tensor along new or size-1 dimensions";
  let arguments = (ins SH_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
}

def SH_TransposeOp : SH_Op<"transpose", [Pure]> {
  let summary = "Permutes the dimensions";
  let arguments = (ins SH_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
}

def SH_ReverseOp : SH_Op<"reverse", [Pure]> {
  let summary = "Reverses the order along dimensions";
  let arguments = (ins SH_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:` custom<SameType>(type($operand), type($result))
  }];
}

def SH_SliceOp : SH_Op<"slice", [Pure]> {
  let summary = "A strided part of a tensor";
  let arguments = (ins SH_Tensor:$operand, DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices,
    DenseI64ArrayAttr:$strides);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict
    `:` functional-type(operands, results)
  }];
}

def SH_DynamicSliceOp : SH_Op<"dynamic_slice", [Pure]> {
  let summary = "A part of a tensor from computed positions on";
  let arguments = (ins SH_Tensor:$operand, Variadic<SH_Tensor>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsThenAttribute>($start_indices) `sizes` `=` $slice_sizes attr-dict
    `:` functional-type(operands, results)
  }];
}

def SH_ConcatenateOp : SH_Op<"concatenate", [Pure]> {
  let summary = "Joins tensors along a dimension";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsThenAttribute>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}

def SH_PadOp : SH_Op<"pad", [Pure]> {
  let summary = "Surrounds and spreads elements with a value";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
    DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
}

def SH_GatherOp : SH_Op<"gather", [Pure]> {
  let summary = "Parts of a tensor at computed positions";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$start_indices, SH_GatherAttr:$dimension_numbers,
    DenseI64ArrayAttr:$slice_sizes, DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs SH_Tensor:$result);
}

def SH_TorchIndexSelectOp : SH_Op<"torch_index_select", [Pure]> {
  let summary = "Slices at positions along a dimension";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs SH_Tensor:$result);
}

def SH_GetDimensionSizeOp : SH_Op<"get_dimension_size", [Pure]> {
  let summary = "The size of a dimension";
  let arguments = (ins SH_Tensor:$operand, I64Attr:$dimension);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

def SH_SetDimensionSizeOp : SH_Op<"set_dimension_size", [Pure]> {
  let summary = "Declares the size of a dimension";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$size, I64Attr:$dimension);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of StableHLO that apply a function to elements.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLOREGIONOPS_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLOREGIONOPS_TD

include "kiln/Dialect/Stablehlo/StablehloAttrs.td"

def SH_ReduceOp : SH_Op<"reduce", [Pure, SameVariadicOperandSize]> {
  let summary = "Combines the elements along dimensions";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, Variadic<SH_Tensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<SH_Tensor>:$res);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def SH_ReduceWindowOp : SH_Op<"reduce_window", [Pure, SameVariadicOperandSize]> {
  let summary = "Combines the elements of each window";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, Variadic<SH_Tensor>:$init_values,
    DenseI64ArrayAttr:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$base_dilations, OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
    OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<SH_Tensor>:$res);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def SH_SelectAndScatterOp : SH_Op<"select_and_scatter", [Pure]> {
  let summary = "Adds values where a window selects";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$source, SH_Tensor:$init_value,
    OptionalAttr<DenseI64ArrayAttr>:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs SH_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let hasVerifier = 1;
}

def SH_ScatterOp : SH_Op<"scatter", [Pure, SameVariadicOperandSize]> {
  let summary = "Combines elements at computed positions with others";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, SH_Tensor:$scatter_indices, Variadic<SH_Tensor>:$updates,
    SH_ScatterAttr:$scatter_dimension_numbers, DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<SH_Tensor>:$res);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
}

def SH_SortOp : SH_Op<"sort", [Pure]> {
  let summary = "Orders the elements along a dimension";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<SH_Tensor>:$res);
  let regions = (region SizedRegion<1>:$comparator);
  let hasVerifier = 1;
}

def SH_MapOp : SH_Op<"map", [Pure]> {
  let summary = "A function of each element";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs SH_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
}

#endif

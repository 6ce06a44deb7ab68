// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow, calls, tuples and tokens of StableHLO.
#ifndef KILN_DIALECT_STABLEHLO_STABLEHLOCONTROLOPS_TD
#define KILN_DIALECT_STABLEHLO_STABLEHLOCONTROLOPS_TD

include "kiln/Dialect/Stablehlo/StablehloAttrs.td"

def SH_ReturnOp : SH_Op<"return", [Pure, Terminator]> {
  let summary = "Returns values from a region";
  let arguments = (ins Variadic<SH_Value>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def SH_IfOp : SH_Op<"if", [RecursiveMemoryEffects]> {
  let summary = "One of two computations";
  let arguments = (ins SH_Tensor:$pred);
  let results = (outs Variadic<SH_Value>:$res);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let hasVerifier = 1;
}

def SH_CaseOp : SH_Op<"case", [RecursiveMemoryEffects]> {
  let summary = "One of several computations";
  let arguments = (ins SH_Tensor:$index);
  let results = (outs Variadic<SH_Value>:$res);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasVerifier = 1;
}

def SH_WhileOp : SH_Op<"while", [RecursiveMemoryEffects]> {
  let summary = "Repeats a computation";
  let arguments = (ins Variadic<SH_Value>:$operand);
  let results = (outs Variadic<SH_Value>:$res);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def SH_CustomCallOp : SH_Op<"custom_call"> {
  let summary = "Calls what an implementation defines";
  let arguments = (ins Variadic<SH_Value>:$inputs, StrAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect, OptionalAttr<AnyAttr>:$backend_config,
    OptionalAttr<I32Attr>:$api_version, OptionalAttr<ArrayAttr>:$called_computations,
    OptionalAttr<ArrayAttr>:$operand_layouts, OptionalAttr<ArrayAttr>:$result_layouts,
    OptionalAttr<ArrayAttr>:$output_operand_aliases, OptionalAttr<ArrayAttr>:$result_tilings);
  let results = (outs Variadic<SH_Value>:$res);
  let assemblyFormat = [{
    custom<CustomCallTarget>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
}

def SH_CompositeOp : SH_Op<"composite"> {
  let summary = "An operation by name, with its decomposition";
  let arguments = (ins Variadic<SH_Value>:$inputs, StrAttr:$name,
    OptionalAttr<DictionaryAttr>:$composite_attributes, FlatSymbolRefAttr:$decomposition,
    DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<SH_Value>:$res);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let assemblyFormat = [{
    $name $inputs `` custom<CompositeEnd>($composite_regions, attr-dict, type($inputs), type($res))
  }];
}

def SH_OptimizationBarrierOp : SH_Op<"optimization_barrier"> {
  let summary = "Hands on its operands when all of them are there";
  let arguments = (ins Variadic<SH_Value>:$operand);
  let results = (outs Variadic<SH_Value>:$result);
  let assemblyFormat = "attr-dict ($operand^ `:` custom<PairwiseTypes>(type($operand), type($result))) : (`(` `)`)?";
}

def SH_TupleOp : SH_Op<"tuple", [Pure]> {
  let summary = "Puts values together";
  let arguments = (ins Variadic<SH_Value>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleType>(type($val), type($result))";
}

def SH_GetTupleElementOp : SH_Op<"get_tuple_element", [Pure]> {
  let summary = "One value of a tuple";
  let arguments = (ins AnyTuple:$operand, I32Attr:$index);
  let results = (outs SH_Value:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
}

def SH_CreateTokenOp : SH_Op<"create_token", [Pure]> {
  let summary = "A token of nothing";
  let results = (outs SH_Value:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def SH_AfterAllOp : SH_Op<"after_all", [Pure]> {
  let summary = "A token of several";
  let arguments = (ins Variadic<SH_Value>:$inputs);
  let results = (outs SH_Value:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` custom<VariadicSameType>(ref($inputs), type($inputs), type($result))
  }];
}

#endif

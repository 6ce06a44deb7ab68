// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations with a region: reductions, scans, maps.
#ifndef KILN_DIALECT_TRITON_TRITONREGIONOPS_TD
#define KILN_DIALECT_TRITON_TRITONREGIONOPS_TD

include "kiln/Dialect/Triton/TritonAttrs.td"
include "kiln/Dialect/Triton/TritonTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def TT_ReduceOp : TT_Op<"reduce", [Pure, SameVariadicOperandSize]> {
  let summary = "Combines the elements along an axis";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
}

def TT_ReduceReturnOp : TT_Op<"reduce.return", [Pure, ReturnLike, Terminator, HasParent<"ReduceOp">]> {
  let summary = "Ends the region of a reduction";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ScanOp : TT_Op<"scan", [Pure, SameVariadicOperandSize]> {
  let summary = "Inclusive prefix combination along an axis";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
}

def TT_ScanReturnOp : TT_Op<"scan.return", [Pure, ReturnLike, Terminator, HasParent<"ScanOp">]> {
  let summary = "Ends the region of a scan";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [RecursiveMemoryEffects]> {
  let summary = "Applies a region to every element, or to packs of them";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, DefaultValuedAttr<I32Attr, "1">:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [Pure, ReturnLike, Terminator, HasParent<"MapElementwiseOp">]> {
  let summary = "Ends the region of a map";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

#endif

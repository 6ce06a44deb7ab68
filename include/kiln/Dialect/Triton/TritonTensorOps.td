// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that make tensors or rearrange them.
#ifndef KILN_DIALECT_TRITON_TRITONTENSOROPS_TD
#define KILN_DIALECT_TRITON_TRITONTENSOROPS_TD

include "kiln/Dialect/Triton/TritonAttrs.td"
include "kiln/Dialect/Triton/TritonTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class TT_CastOp<string mnemonic> : TT_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyType:$src);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_SplatOp : TT_CastOp<"splat"> { let summary = "A tensor with one value everywhere"; }
def TT_UnsplatOp : TT_Op<"unsplat", [Pure, TypesMatchWith<"the result is an element of the source", "src", "result",
    "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "The element of a tensor with one element";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
}
def TT_BroadcastOp : TT_CastOp<"broadcast"> { let summary = "Repeats dimensions of size 1"; }
def TT_BitcastOp : TT_CastOp<"bitcast"> { let summary = "Reads the bits as another type"; }

def TT_ExpandDimsOp : TT_Op<"expand_dims", [Pure]> {
  let summary = "Inserts a dimension of size 1";
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_ReshapeOp : TT_Op<"reshape", [Pure]> {
  let summary = "Gives the elements another shape";
  let description = [{ With `allow_reorder` any order of elements is fine; Kiln keeps the row-major one. }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict
    `:` type($src) `->` type($result)
  }];
}

def TT_TransOp : TT_Op<"trans", [Pure]> {
  let summary = "Permutes the dimensions";
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_JoinOp : TT_Op<"join", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Joins two tensors along a new last dimension";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def TT_SplitOp : TT_Op<"split", [Pure, AllTypesMatch<["outLHS", "outRHS"]>]> {
  let summary = "Splits a last dimension of size 2";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
}

def TT_CatOp : TT_Op<"cat", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Concatenates along the first dimension, in any order";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "start, start + 1, ..., end - 1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TT_GatherOp : TT_Op<"gather", [Pure]> {
  let summary = "Reads elements of a tensor by index along an axis";
  let arguments = (ins TT_Tensor:$src, TT_Tensor:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` attr-dict `:` functional-type(operands, results)
  }];
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that make tensors from nothing.
#ifndef KILN_DIALECT_PRIM_CREATIONOPS_TD
#define KILN_DIALECT_PRIM_CREATIONOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Prim_ConstantOp : Prim_Op<"constant", [Pure, ExactResult, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor known at compile time";
  let description = [{
    Constraints:
    - (C1) `value` has the type of the result.
    - (C2) `value` is dense or a resource blob.
    - (C3) A blob has as many bytes as the elements, one for each that is narrower than a byte.

    Example: `%c = prim.constant dense<[1.0, 2.0]> : tensor<2xf32>`.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Prim_FullOp : Prim_Op<"full", [Pure, ExactResult]> {
  let summary = "A tensor with one value everywhere";
  let description = [{
    `sizes` are the `?` of the result, in order.

    Constraints:
    - (C1) There is one size for each `?` of the result.
    - (C2) `value` is a number of the element type.

    Example: `%f = prim.full 1.0 : f32 sizes (%n) : tensor<?x8xf32>`.
  }];
  let arguments = (ins Variadic<Index>:$sizes, TypedAttrInterface:$value);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$value (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Prim_IotaOp : Prim_Op<"iota", [Pure, ExactResult]> {
  let summary = "The index of each element along a dimension";
  let description = [{
    Element (i0, ..., in) is i_dim converted to the element type: integers wrap, floats are
    rounded to nearest. `sizes` are the `?` of the result, in order.

    Constraints:
    - (C1) There is one size for each `?` of the result.
    - (C2) `dim` is a dimension of the result.

    Example: `%i = prim.iota dim 0 : tensor<8xi32>`.
  }];
  let arguments = (ins Variadic<Index>:$sizes, I64Attr:$dim);
  let results = (outs Prim_NumberTensor:$result);
  let assemblyFormat = "`dim` $dim (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif

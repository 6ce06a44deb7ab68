// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move elements without changing them.
#ifndef KILN_DIALECT_PRIM_MOVEMENTOPS_TD
#define KILN_DIALECT_PRIM_MOVEMENTOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Prim_BroadcastInDimOp : Prim_Op<"broadcast_in_dim", [Pure, ExactResult]> {
  let summary = "Repeats a tensor along new or size-1 dimensions";
  let description = [{
    Dimension d of the operand is dimension dims[d] of the result, with the same size, or
    size 1 in the operand, which is repeated. Other result dimensions repeat the
    operand. `sizes` are the `?` of the result, in order. An operand
    dimension that is `?` has the size of the result dimension (it is not repeated).

    Constraints:
    - (C1) There is one size for each `?` of the result.
    - (C2) Operand and result have the same element type.
    - (C3) `dims` has one entry for each dimension of the operand, each a dimension of the result, in
      strictly ascending order.
    - (C4) Each dimension of the operand has size 1 or that of its dimension of the result.

    Example: `%r = prim.broadcast_in_dim %x dims [1] : tensor<8xf32> -> tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, Variadic<Index>:$sizes, DenseI64ArrayAttr:$dims);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operand `dims` $dims (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Prim_ReshapeOp : Prim_Op<"reshape", [Pure, ExactResult]> {
  let summary = "Gives the elements another shape";
  let description = [{
    Row-major order is kept. `sizes` are the `?` of the result, in order.

    Constraints:
    - (C1) There is one size for each `?` of the result.
    - (C2) Operand and result have the same element type.
    - (C3) Operand and result have the same number of elements.

    Example: `%r = prim.reshape %x : tensor<4x8xf32> -> tensor<32xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, Variadic<Index>:$sizes);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operand (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;


  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Prim_TransposeOp : Prim_Op<"transpose", [Pure, ExactResult]> {
  let summary = "Permutes the dimensions";
  let description = [{
    Dimension d of the result is dimension permutation[d] of the operand.

    Constraints:
    - (C1) `permutation` is a permutation of the operand's dimensions.
    - (C2) Operand and result have the same element type.
    - (C3) Dimension d of the result has the size of dimension permutation[d] of the operand.

    Example: `%r = prim.transpose %x permutation [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operand `permutation` $permutation attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;


  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Prim_SliceOp : Prim_Op<"slice", [Pure, ExactResult]> {
  let summary = "A strided part of a tensor";
  let description = [{
    result[i] = operand[start + i * stride], per dimension. A limit of -1 stands for the size of
    the operand.

    Constraints:
    - (C1) There is one start, limit and stride for each dimension; start >= 0, limit >= -1,
      stride >= 1.
    - (C2) start <= limit <= size.
    - (C3) The result has the operand's element type and the size ceil((limit - start) / stride).

    Example: `%r = prim.slice %x starts [0, 2] limits [4, 6] strides [1, 2] : tensor<4x8xf32> -> tensor<4x2xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operand `starts` $starts `limits` $limits `strides` $strides attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;

  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Prim_RevOp : Prim_Op<"rev", [Pure, ExactResult, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Reverses the order along dimensions";
  let description = [{
    Element i of a reversed dimension of size n is element n - 1 - i of the operand.

    Constraints:
    - (C1) Operand and result have the same type.
    - (C2) `dims` are distinct dimensions.

    Example: `%r = prim.rev %x dims [0] : tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operand `dims` $dims attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Prim_CatOp : Prim_Op<"cat", [Pure, ExactResult]> {
  let summary = "Joins tensors along a dimension";
  let description = [{
    The operands follow each other along `dim`.

    Constraints:
    - (C1) There is at least one operand.
    - (C2) `dim` is a dimension of the result.
    - (C3) The operands have the result's element type and its sizes in all dimensions but `dim`.
    - (C4) The sizes along `dim` add up to that of the result.

    Example: `%r = prim.cat %a, %b dim 0 : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<6x8xf32>`.
  }];
  let arguments = (ins Variadic<Prim_Tensor>:$operands, I64Attr:$dim);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operands `dim` $dim attr-dict `:` type($operands) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Prim_PadOp : Prim_Op<"pad", [Pure, ExactResult]> {
  let summary = "Surrounds a tensor with a value";
  let description = [{
    `low` and `high` elements of `value` before and after each dimension.

    Constraints:
    - (C1) There is one `low` and one `high` for each dimension, both >= 0.
    - (C2) `value` is a number of the element type of operand and result.
    - (C3) The result has the size low + size + high.

    Example: `%r = prim.pad %x low [1, 0] high [0, 2] value 0.0 : f32 : tensor<4x8xf32> -> tensor<5x10xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, TypedAttrInterface:$value);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operand `low` $low `high` $high `value` $value attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif

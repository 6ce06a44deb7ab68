// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of several operands with any combiner.
#ifndef KILN_DIALECT_PRIM_COMBINEOPS_TD
#define KILN_DIALECT_PRIM_COMBINEOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"
include "kiln/Interfaces/Accumulation.td"

defvar Prim_combiner = [{
    The region combines two elements (of every operand: first all left ones, then all right ones) as
    tensors of rank 0 with elementwise prims. It is taken to be associative and commutative, and
    `inits`, tensors of rank 0, to be neutral: the order of combinations is unspecified, and so is how
    often `inits` take part. It uses nothing from outside but constants.
}];

def Prim_ReduceOp : Prim_Op<"reduce", [
    Pure, SameVariadicOperandSize, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Combines the elements of tensors over dimensions";
  let description = !strconcat([{
    Reduces all operands together over `dims`, which disappear from the shape. Of nothing: `inits`.
}], Prim_combiner, [{

    Constraints:
    - (C1) There is at least one operand, and one init and result for each.
    - (C2) Operands have one shape, `dims` are distinct dimensions of it.
    - (C3) Inits have rank 0 and the element types of the operands.
    - (C4) Results have the other dimensions of the operands, in order, and their element types.
    - (C5) The region takes two tensors of rank 0 for each operand and yields one.
    - (C6) The region holds elementwise prims and constants of rank 0.

    Example:
    ```mlir
    %r = prim.reduce (%x) inits (%z) dims [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = prim.maximum %a, %b : tensor<f32>
      prim.yield %0 : tensor<f32>
    }
    ```
  }]);
  let arguments = (ins Variadic<Prim_Tensor>:$inputs, Variadic<Prim_Tensor>:$inits, DenseI64ArrayAttr:$dims);
  let results = (outs Variadic<Prim_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `(` $inputs `)` `inits` `(` $inits `)` `dims` $dims attr-dict-with-keyword `:` functional-type(operands, results) $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Prim_ReduceWindowOp : Prim_Op<"reduce_window", [
    Pure, SameVariadicOperandSize, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Combines the elements of each window";
  let description = !strconcat([{
    A window of `window` elements, `dilation` apart, moves by `strides` over the operands, between
    whose elements there are `input_dilation` - 1 holes and around which there is padding (a negative pad cuts off). Holes and padding
    hold the inits. Size of a dimension: floor((dilated + pad_low + pad_high - (window - 1) * dilation
    - 1) / stride) + 1 with dilated = (in - 1) * input_dilation + 1 (0 for nothing), and 0 where the window does not fit. Composite: slices that are combined.
}], Prim_combiner, [{

    Constraints:
    - (C1) There is at least one operand, and one init and result for each.
    - (C2) Operands have one shape, and there is one entry of each attribute for each dimension;
      window, strides and dilations are >= 1.
    - (C3) Inits have rank 0 and the element types of the operands.
    - (C4) Results have the shape of the formula and the element types of the operands.
    - (C5) The region takes two tensors of rank 0 for each operand and yields one.
    - (C6) The region holds elementwise prims and constants of rank 0.

    Example:
    ```mlir
    %r = prim.reduce_window (%x) inits (%z) {window = array<i64: 1, 2>, strides = array<i64: 1, 2>,
      pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>,
      input_dilation = array<i64: 1, 1>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = prim.maximum %a, %b : tensor<f32>
      prim.yield %0 : tensor<f32>
    }
    ```
  }]);
  let arguments = (ins Variadic<Prim_Tensor>:$inputs, Variadic<Prim_Tensor>:$inits,
    DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
    DenseI64ArrayAttr:$dilation, DenseI64ArrayAttr:$input_dilation);
  let results = (outs Variadic<Prim_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    `(` $inputs `)` `inits` `(` $inits `)` attr-dict `:` functional-type(operands, results) $combiner
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Prim_SelectAndScatterOp : Prim_Op<"select_and_scatter", [Pure, AllTypesMatch<["operand", "result"]>,
    DeclareOpInterfaceMethods<AccumulationOpInterface>]> {
  let summary = "Adds each source element where its window has its largest element";
  let description = [{
    The gradient of pooling. A window of `window` elements moves by `strides` over the padded
    operand; where its largest element is (`min`: the smallest; the first of equals, padding does not take part),
    the element of `source` for the window is added. Elsewhere the result is 0.
    Sums are formed in f32 or wider. Composite: selections and a `scatter`.

    Constraints:
    - (C1) `kind` is `max` or `min`.
    - (C2) There is one entry of each attribute for each dimension, pads >= 0 and smaller than the window, others >= 1.
    - (C3) Source and operand have the same element type.
    - (C4) The source has the size floor((in + pad_low + pad_high - window) / stride) + 1.

    Example:
    ```mlir
    %r = prim.select_and_scatter max %x, %s {window = array<i64: 1, 2>, strides = array<i64: 1, 2>,
      pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>} : tensor<4x8xf32>, tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Prim_ScanKind:$kind, Prim_NumberTensor:$operand, Prim_NumberTensor:$source,
    DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high);
  let results = (outs Prim_NumberTensor:$result);
  let assemblyFormat = "$kind $operand `,` $source attr-dict `:` type($operand) `,` type($source)";
  let hasVerifier = 1;
}

#endif

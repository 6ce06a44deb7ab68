// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tm_tensor dialect: what torch-mlir writes beside linalg for scans, sorts, scatters and attention.
#ifndef KILN_DIALECT_TMTENSOR_TMTENSOROPS_TD
#define KILN_DIALECT_TMTENSOR_TMTENSOROPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TmTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let cppNamespace = "::kiln::tm_tensor";
  let summary = "torch-mlir's operations on tensors, as an input";
  let description = [{
    What torch-mlir writes beside linalg where linalg has no operation: each takes tensors that it reads (`ins`) and
    tensors that give its results their shapes and, where it says so, their values (`outs`). The dialect exists to be read.
  }];
}

class TmTensor_Op<string mnemonic, list<Trait> traits = []> : Op<TmTensor_Dialect, mnemonic, traits>;

def TmTensor_ScanOp : TmTensor_Op<"scan", [AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Combination of all elements up to each one along a dimension";
  let description = [{
    The first result is the scan of the input, the second what it comes to at the end. With `inclusive` an element counts at
    its own place, else the scan begins with the second of `outs`.
    ```mlir
    %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%y, %z : tensor<2x3xf32>, tensor<2xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tm_tensor.yield %s : f32
    } -> tensor<2x3xf32>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension, BoolAttr:$inclusive);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` custom<RegionAndResults>($region, type($results))
  }];
  let hasVerifier = 1;
}

def TmTensor_SortOp : TmTensor_Op<"sort", [AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Sorts tensors together along a dimension";
  let description = [{
    The region takes two elements of each of `outs` in turn and says whether the first may come before the second.
    ```mlir
    %r = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.cmpf ole, %a, %b : f32
      tm_tensor.yield %s : i1
    } -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)` (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outputs^ `:` type($outputs) `)`)? custom<RegionAndResults>($region, type($results))
  }];
  let hasVerifier = 1;
}

def TmTensor_ScatterOp : TmTensor_Op<"scatter", [AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Combines slices with a tensor at computed places";
  let description = [{
    `ins` are the updates and the places: one row of coordinates along `dimension_map` for each update. The region takes an
    element of an update and what is there, and gives what is there after.
    ```mlir
    %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
        ins(%u, %i : tensor<5x8xf32>, tensor<5x1xi32>) outs(%x : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32):
      tm_tensor.yield %a : f32
    } -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs,
    DenseI64ArrayAttr:$dimension_map, DefaultValuedAttr<BoolAttr, "true">:$unique_indices);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    attr-dict `unique_indices` `(` $unique_indices `)` (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` custom<RegionAndResults>($region, type($results))
  }];
  let hasVerifier = 1;
}

def TmTensor_AttentionOp : TmTensor_Op<"attention", [AttrSizedOperandSegments, Pure]> {
  let summary = "Scaled dot-product attention";
  let description = [{
    `ins` are query, key, value and, where there is one, a mask that is added; the scale is 1 / sqrt(size of the last
    dimension of the query).
    ```mlir
    %r = tm_tensor.attention ins(%q, %k, %v : tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>)
        outs(%o : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)` (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def TmTensor_YieldOp : TmTensor_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "What the region of an operation gives";
  let description = [{ `tm_tensor.yield %s : f32` }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and loops over tensors.
#ifndef KILN_DIALECT_PRIM_CONTROLOPS_TD
#define KILN_DIALECT_PRIM_CONTROLOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

def Prim_IfOp : Prim_Op<"if", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "One of two computations";
  let description = [{
    Evaluates the first region if `condition` holds, else the second one. The results are the
    values that this region yields. The other region is not evaluated. Regions may use values from outside. `sizes` are
    the `?` of the results, in order; both regions yield tensors of these sizes.

    Constraints:
    - (C1) The condition has rank 0.
    - (C2) There is one size for each `?` of the results.
    - (C3) The regions have no arguments.
    - (C4) Both regions yield values of the types of the results.

    Example:
    ```mlir
    %r = prim.if %p : tensor<i1> -> (tensor<4xf32>) {
      prim.yield %x : tensor<4xf32>
    } else {
      %0 = prim.neg %x : tensor<4xf32>
      prim.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Prim_BoolTensor:$condition, Variadic<Index>:$sizes);
  let results = (outs Variadic<Prim_Tensor>:$results);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let assemblyFormat = [{
    $condition (`sizes` `(` $sizes^ `)`)? attr-dict-with-keyword `:` type($condition)
    (`->` `(` type($results)^ `)`)?
    custom<Branches>($then_region, $else_region)
  }];
  let hasVerifier = 1;
}

def Prim_WhileOp : Prim_Op<"while", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Repeats a computation while a condition holds";
  let description = [{
    Carries tensors, which start as `inits`. As long as the region `condition` yields true for
    them, the values that `body` yields for them replace them. The results are the tensors for which
    the condition was false. Regions may use values from outside. A `?` of a carried tensor has
    the size that it has in `inits`, in every iteration.

    Constraints:
    - (C1) Inits, results and the arguments of both regions have the same types.
    - (C2) `condition` yields one tensor<i1>.
    - (C3) `body` yields values of the types of the results.

    Example:
    ```mlir
    %r = prim.while (%i) : (tensor<i32>) -> tensor<i32> {
    ^bb0(%a: tensor<i32>):
      %p = prim.lt %a, %n : tensor<i32> -> tensor<i1>
      prim.yield %p : tensor<i1>
    } do {
    ^bb0(%a: tensor<i32>):
      %b = prim.add %a, %one : tensor<i32>
      prim.yield %b : tensor<i32>
    }
    ```
  }];
  let arguments = (ins Variadic<Prim_Tensor>:$inits);
  let results = (outs Variadic<Prim_Tensor>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inits `)` attr-dict-with-keyword `:` functional-type($inits, $results) custom<Loop>($condition, $body)
  }];
  let hasVerifier = 1;
}

#endif

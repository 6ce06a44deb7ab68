// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of operations.
#ifndef KILN_DIALECT_PRIM_GROUPOPS_TD
#define KILN_DIALECT_PRIM_GROUPOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

def Prim_FusionOp : Prim_Op<"fusion", [Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A group of operations that becomes one kernel";
  let description = [{
    Made by `prim-fuse`, consumed by `convert-prim-to-tile`. `kind` says what the group is built
    around and so which schedules are asked: `elementwise` (movement included), `reduction` (of rows: sums,
    softmax, norms), `contraction` (a product), `convolution` (any window that slides: pooling too), `scan`,
    `sort`, `gather` or `scatter`. `schedule` is the schedule that was chosen, if any.

    Constraints:
    - (C1) The block has one argument for each input, of its type.
    - (C2) The block yields values of the types of the results.

    Example:
    ```mlir
    %r = prim.fusion elementwise (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %0 = prim.neg %a : tensor<4xf32>
      prim.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, Prim_GroupKind:$kind, OptionalAttr<StrAttr>:$schedule);
  let results = (outs Variadic<Prim_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$kind (`schedule` $schedule^)? `(` $inputs `)` attr-dict-with-keyword `:` functional-type($inputs, $results) $body";
  let hasVerifier = 1;
}

def Prim_ClaimOp : Prim_Op<"claim", [RecursiveMemoryEffects, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Operations that a target has claimed whole";
  let description = [{
    The region holds the claimed operations, so that `reference` can evaluate them and a fallback can
    inline them. `target` is the target that claims the operations, `name` the name of the claim; `config` is the target's own.

    Constraints:
    - (C1) The block has one argument for each input, of its type.
    - (C2) The block yields values of the types of the results.

    Example:
    ```mlir
    %r = prim.claim "npu" "negate" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %0 = prim.neg %a : tensor<4xf32>
      prim.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$target, StrAttr:$name, OptionalAttr<DictionaryAttr>:$config);
  let results = (outs Variadic<Prim_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$target $name `(` $inputs `)` attr-dict-with-keyword `:` functional-type($inputs, $results) $body";
  let hasVerifier = 1;
}

def Prim_YieldOp : Op<Prim_Dialect, "yield", [Pure, Terminator, ParentOneOf<[
    "FusionOp", "ClaimOp", "IfOp", "WhileOp", "ReduceOp", "ReduceWindowOp"]>]> {
  let summary = "Returns values from the region of an operation";
  let description = [{ Example: `prim.yield %x : tensor<4xf32>`. }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operations say what they know of indices.
#ifndef KILN_INDEX_INDEXINTERFACES_TD
#define KILN_INDEX_INDEXINTERFACES_TD

include "mlir/IR/OpBase.td"

def IndexFactsOpInterface : OpInterface<"IndexFactsOpInterface"> {
  let cppNamespace = "::kiln::index";
  let description = [{
    An operation that knows the range of an integer or index that it defines, or
    a number that divides it: sizes of views, coordinates in a grid, assumptions.
    Facts must hold whenever the operation runs. Operations with upstream's
    InferIntRangeInterface need no more, unless they know divisors.
  }];
  let methods = [
    InterfaceMethod<
      "What is known of a result; `of` says what is known of operands.",
      "::kiln::index::Facts", "getResultFacts",
      (ins "unsigned":$number,
           "::llvm::function_ref<::kiln::index::Facts(::mlir::Value)>":$of)>,
    InterfaceMethod<
      "What is known of an argument of a block of its regions.",
      "::kiln::index::Facts", "getArgumentFacts",
      (ins "::mlir::BlockArgument":$argument,
           "::llvm::function_ref<::kiln::index::Facts(::mlir::Value)>":$of),
      "", [{ return ::kiln::index::Facts(); }]>,
    InterfaceMethod<[{
      Appends scalar conditions that hold wherever the block of this operation is
      run to its end: what it assumes. They say something of all values that were
      there before.
    }], "void", "getAssumedConditions",
      (ins "::llvm::SmallVectorImpl<::mlir::Value> &":$conditions), "",
      [{ return; }]>
  ];
}

#endif

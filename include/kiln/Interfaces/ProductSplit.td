// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a matrix product is split into blocks.
#ifndef KILN_INTERFACES_PRODUCTSPLIT_TD
#define KILN_INTERFACES_PRODUCTSPLIT_TD

include "mlir/IR/Interfaces.td"

def ProductSplitAttrInterface : AttrInterface<"ProductSplitAttrInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    An attribute of a matrix product that says in which blocks, and from panels of which form, a family computes it.
    `stage-split-products` asks it.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns how the matmul that carries the attribute is split; nothing if it cannot be split so. The code that
      computes the whole matmul then reports the error.
    }], "::std::optional<::kiln::ProductSplit>", "getProductSplit",
      (ins "::kiln::MatrixProductOpInterface":$product)>,
    InterfaceMethod<[{
      Returns faster versions for operands whose values are smaller than their types allow. `stage-guard-products`
      checks the values first.
    }], "::llvm::SmallVector<::kiln::NarrowProduct>", "getNarrowProducts",
      (ins "::kiln::MatrixProductOpInterface":$product), "", "return {};">,
  ];
}

#endif

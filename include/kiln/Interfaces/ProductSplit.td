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
      How the product that carries the attribute is split; nothing where it cannot be computed so, which whoever
      computes it as a whole reports.
    }], "::std::optional<::kiln::ProductSplit>", "getProductSplit",
      (ins "::kiln::MatrixProductOpInterface":$product)>,
    InterfaceMethod<[{
      Faster ways for factors of smaller numbers than their types can hold, for `stage-guard-products`, which looks at
      them first.
    }], "::llvm::SmallVector<::kiln::NarrowProduct>", "getNarrowProducts",
      (ins "::kiln::MatrixProductOpInterface":$product), "", "return {};">,
  ];
}

#endif

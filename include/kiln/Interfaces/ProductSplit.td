// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a matrix product is split into blocks.
#ifndef KILN_INTERFACES_PRODUCTSPLIT_TD
#define KILN_INTERFACES_PRODUCTSPLIT_TD

include "mlir/IR/OpBase.td"

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
      Reports an error at the matmul, and fails, if the attribute does not fit it.
    }], "::llvm::LogicalResult", "verifyProductSplit",
      (ins "::kiln::MatrixProductOpInterface":$product), "", "return ::mlir::success();">,
    InterfaceMethod<[{
      Returns faster versions for operands whose values are smaller than their types allow. `stage-guard-products`
      checks the values first.
    }], "::llvm::SmallVector<::kiln::NarrowProduct>", "getNarrowProducts",
      (ins "::kiln::MatrixProductOpInterface":$product), "", "return {};">,
  ];
}

/// The constraint of an operation's attribute that says how its matmul is split.
def ProductSplitAttr : Attr<CPred<"::llvm::isa<::kiln::ProductSplitAttrInterface>($_self)">,
    "attribute that says how a matmul is split into blocks"> {
  let storageType = "::kiln::ProductSplitAttrInterface";
  let returnType = "::kiln::ProductSplitAttrInterface";
  let convertFromStorage = "$_self";
}

def ProductSplitOpInterface : OpInterface<"ProductSplitOpInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    A matmul (MatrixProductOpInterface) whose definition has the attribute `split` (ProductSplitAttr): a pass of the
    family decides how the matmul is split, and later passes read it. A matmul without this interface is split by the pass that decides.
  }];
  let methods = [
    InterfaceMethod<"Returns how the matmul is split; null: not decided.",
      "::kiln::ProductSplitAttrInterface", "getSplitAttr">,
    InterfaceMethod<"Decides how the matmul is split.", "void", "setSplitAttr",
      (ins "::kiln::ProductSplitAttrInterface":$split)>,
  ];
}

#endif

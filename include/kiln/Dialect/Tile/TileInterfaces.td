// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes on kernels know of folds, moved pointers, and output of a launch.
#ifndef KILN_DIALECT_TILE_TILEINTERFACES_TD
#define KILN_DIALECT_TILE_TILEINTERFACES_TD

include "mlir/IR/OpBase.td"

class Tile_OpInterface<string name> : OpInterface<name> {
  let cppNamespace = "::kiln::tile";
}

def Tile_FoldOpInterface : Tile_OpInterface<"FoldOpInterface"> {
  let description = [{
    An operation that combines the elements of tiles along one axis by a region, as `tile.reduce` and `tile.scan` do. Its operands are tiles
    of one shape, which are folded together, with a result for each. The region takes the left element of each tile, then the right
    elements, and yields the combined ones.

    An operation that `tile.reduce` can compute need not implement this: see `ReductionOpInterface`.
  }];
  let methods = [
    InterfaceMethod<"The axis of the tiles along which elements are combined.", "int64_t", "getFoldedAxis">,
    InterfaceMethod<"The region that combines elements.", "::mlir::Region &", "getFoldRegion", (ins), "",
      "return $_op->getRegion(0);">,
    InterfaceMethod<"Whether results keep the axis, with the elements combined so far. Otherwise they do not have it.",
      "bool", "keepsAxis", (ins), "", "return false;">,
    InterfaceMethod<"Whether elements are combined from the left, by ascending index.",
      "bool", "isOrderedFold", (ins), "", "return false;">
  ];
}

def Tile_PointerOffsetOpInterface : Tile_OpInterface<"PointerOffsetOpInterface"> {
  let description = [{
    An operation whose only result are pointers some elements from its first operand, as `tile.ptr_add` gives, or the same addresses as
    pointers to another type, as `tile.ptr_cast` gives.
  }];
  let methods = [
    InterfaceMethod<"How many elements of the result's type lie between, the second operand; null: none.",
      "::mlir::Value", "getOffsetInElements", (ins), "", "return {};">
  ];
  let extraSharedClassDeclaration = [{
    /// Returns the pointers from which elements are counted.
    ::mlir::Value getBasePointers() { return $_op->getOperand(0); }
  }];
}

def Tile_LaunchOutputOpInterface : Tile_OpInterface<"LaunchOutputOpInterface"> {
  let description = [{
    An operation that shows something to the user of a launch and names the place of the instance in the grid, as `tile.print` and
    `tile.assert` do. Passes that let other instances compute the place leave such kernels alone.
  }];
}

#endif

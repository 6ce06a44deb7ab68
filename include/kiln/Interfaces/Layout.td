// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of a tile are.
#ifndef KILN_INTERFACES_LAYOUT_TD
#define KILN_INTERFACES_LAYOUT_TD

include "mlir/IR/Interfaces.td"

def LayoutAttrInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::kiln";
  let description = [{
    The encoding of a tile that says where each of its elements is: a map from the coordinates of
    the tile to a place, a point with as many numbers as `getNumPlaceDims()`. What the numbers mean
    (register, lane, warp, panel, ...) is the layout's own affair. Every element has a place, several
    elements never share one; some places may stay empty.

    A layout has no meaning at the level of `tile`: operations, folds and passes hand encodings on,
    or give tiles without one, but never invent or merge them. The affine map of an AffineMapAttr is
    a layout. How a layout is printed is its attribute's assembly format.
  }];
  let methods = [
    InterfaceMethod<"Coordinates of the tile that the layout is for; -1: any number.",
      "int64_t", "getNumTileDims">,
    InterfaceMethod<"Numbers in a place.", "int64_t", "getNumPlaceDims">,
    InterfaceMethod<"Appends the place of an element of a tile of this shape.",
      "void", "getPlace", (ins "::llvm::ArrayRef<int64_t>":$shape,
        "::llvm::ArrayRef<int64_t>":$coordinate, "::llvm::SmallVectorImpl<int64_t> &":$place)>,
    InterfaceMethod<[{
      The layout that puts each element where `outer` puts the place that this layout gives it; null
      if there is none of this kind.
    }], "::mlir::Attribute", "composeWith", (ins "::mlir::Attribute":$outer), "", "return {};">,
    InterfaceMethod<[{
      The layout that takes places back to coordinates for tiles of this shape; null if there is none
      of this kind.
    }], "::mlir::Attribute", "invertFor", (ins "::llvm::ArrayRef<int64_t>":$shape), "", "return {};">,
    InterfaceMethod<[{
      Whether two layouts put every element of a tile of this shape in the same place. The default
      compares attributes, then places one by one.
    }], "bool", "isSameFor", (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Attribute":$other), "",
      "return ::kiln::detail::haveSamePlaces($_attr, other, shape);">,
    InterfaceMethod<"Checks that the layout fits tiles of this shape.",
      "::llvm::LogicalResult", "verifyLayoutFor", (ins "::llvm::ArrayRef<int64_t>":$shape,
        "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError), "", [{
        return ::kiln::detail::verifyPlaces($_attr, shape, emitError);
      }]>,
  ];
}

#endif

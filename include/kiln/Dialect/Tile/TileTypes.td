// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the tile dialect.
#ifndef KILN_DIALECT_TILE_TILETYPES_TD
#define KILN_DIALECT_TILE_TILETYPES_TD

include "kiln/Dialect/Tile/TileBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Tile_Type<string name, string mnemonic_, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> { let mnemonic = mnemonic_; }

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "A strided window of memory with bounds";
  let description = [{
    Base pointer, one size and one stride per dimension. Strides count elements
    and may be zero (every index reads the same element) or negative. A `?` is
    known only at run time. Without `strides` the view is dense and row-major:
    the last stride is 1 and every other stride is the next stride times the
    next size.

    Element (i0, i1, ...) lies at base + sum(i_d * stride_d) elements. Indices
    outside of [0, size_d) are outside of the view: loads pad there, stores drop.

    Example:
    ```mlir
    !tile.view<?x1024xf32>
    !tile.view<?x?xbf16, strides = [?, 1]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
    OptionalArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// True if the type has no strides of its own: dense and row-major.
    bool isDense() const { return getStrides().empty() && getRank() > 0; }
    /// The stride of dimension `d` if the type alone determines it, else kDynamic.
    int64_t getStaticStride(int64_t d) const;
  }];
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "A pointer to elements in global memory";
  let description = [{
    The address of an element, from which `tile.make_view` makes views.
    Example: `!tile.ptr<f32>`.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

/// A number, or a truth value (i1).
def Tile_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger, Index],
                            "float, signless integer or index">;
/// What a tile may hold.
def Tile_Element : AnyTypeOf<[Tile_Scalar, Tile_PtrType],
                             "float, signless integer, index or pointer">;

/// A tile: a ranked tensor of static shape; rank 0 is allowed.
def Tile_AnyTile : StaticShapeTensorOf<[Tile_Element]>;
def Tile_NumberTile : StaticShapeTensorOf<[Tile_Scalar]>;
def Tile_IntTile : StaticShapeTensorOf<[AnySignlessInteger, Index]>;
def Tile_BoolTile : StaticShapeTensorOf<[I1]>;

/// A scalar or a tile.
def Tile_NumberLike : AnyTypeOf<[Tile_Scalar, Tile_NumberTile]>;
def Tile_AnyLike : AnyTypeOf<[Tile_Element, Tile_AnyTile]>;
def Tile_FloatLike : AnyTypeOf<[AnyFloat, StaticShapeTensorOf<[AnyFloat]>]>;
def Tile_IntLike : AnyTypeOf<[AnySignlessInteger, Index, Tile_IntTile]>;
def Tile_MaskLike : AnyTypeOf<[I1, Tile_BoolTile]>;
def Tile_PtrTile : StaticShapeTensorOf<[Tile_PtrType]>;
def Tile_PtrLike : AnyTypeOf<[Tile_PtrType, Tile_PtrTile]>;

#endif

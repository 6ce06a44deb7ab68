// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dialect that Kiln knows nothing of but what its operations say by Kiln's interfaces.
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/Cost.td"
include "kiln/Interfaces/IndexMap.td"
include "kiln/Interfaces/Layout.td"
include "kiln/Interfaces/MatrixProduct.td"
include "kiln/Interfaces/ViewAccess.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mine_Dialect : Dialect {
  let name = "mine";
  let cppNamespace = "::mine";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Mine_Op<string mnemonic, list<Trait> traits> : Op<Mine_Dialect, mnemonic, traits>;

def Mine_FetchOp : Mine_Op<"fetch", [
    DeclareOpInterfaceMethods<ViewAccessOpInterface, ["setElementOffsets"]>,
    DeclareOpInterfaceMethods<CostOpInterface>]> {
  let summary = "result[i, j] = view[row + j, column + i], and zero outside";
  let arguments = (ins Arg<Tile_ViewType, "", [MemRead]>:$view, Index:$row, Index:$column);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$view `at` `[` $row `,` $column `]` attr-dict `:` qualified(type($view)) `->` type($result)";
}

// Mistaken: no effect is declared, or there is no scalar for elements outside, and any step is taken.
def Mine_QuietOp : Mine_Op<"quiet", [Pure, DeclareOpInterfaceMethods<ViewAccessOpInterface>]> {
  let arguments = (ins Tile_ViewType:$view, Index:$row);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$view `at` $row attr-dict `:` qualified(type($view)) `->` type($result)";
}
def Mine_UnpaddedOp : Mine_Op<"unpadded", [DeclareOpInterfaceMethods<ViewAccessOpInterface, ["getOutside"]>]> {
  let arguments = (ins Arg<Tile_ViewType, "", [MemRead]>:$view, Index:$row, DefaultValuedAttr<I64Attr, "1">:$step);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$view `at` $row attr-dict `:` qualified(type($view)) `->` type($result)";
}

def Mine_PushOp : Mine_Op<"push", [
    DeclareOpInterfaceMethods<ViewAccessOpInterface, ["getWrittenOperand"]>]> {
  let summary = "Stores a block where block coordinates say";
  let arguments = (ins Tile_NumberTile:$value, Arg<Tile_ViewType, "", [MemWrite]>:$view, Index:$row, Index:$column);
  let assemblyFormat = "$value `,` $view `[` $row `,` $column `]` attr-dict `:` type($value) `,` qualified(type($view))";
}

def Mine_MmaOp : Mine_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getNumSummedDims", "getIndexMap"]>,
    DeclareOpInterfaceMethods<MatrixProductOpInterface, ["getAccOperand"]>,
    DeclareOpInterfaceMethods<AccumulationOpInterface, ["areZerosNeutral"]>]> {
  let summary = "result = acc + lhs * rhs";
  let arguments = (ins Tile_NumberTile:$lhs, Tile_NumberTile:$rhs, Tile_NumberTile:$acc);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)";
}

def Mine_ContractOp : Mine_Op<"contract", [Pure,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getNumSummedDims", "getIndexMap"]>,
    DeclareOpInterfaceMethods<MatrixProductOpInterface, ["getAccOperand"]>,
    DeclareOpInterfaceMethods<AccumulationOpInterface, ["areZerosNeutral"]>]> {
  let summary = "result[d] = acc[d] + sum over k of lhs[lhs_map(d, k)] * rhs[rhs_map(d, k)]";
  let arguments = (ins Tile_NumberTile:$lhs, Tile_NumberTile:$rhs, Optional<Tile_NumberTile>:$acc,
                       AffineMapAttr:$lhs_map, AffineMapAttr:$rhs_map);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`to` $acc^ `:` type($acc))? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
}

def Mine_WindowOp : Mine_Op<"window", [Pure, ExactResult,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getIndexMap", "movesElements"]>]> {
  let summary = "result[i, j] = source[i, j + from]";
  let arguments = (ins Tile_NumberTile:$source, I64Attr:$from);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$source `from` $from attr-dict `:` type($source) `->` type($result)";
}

def Mine_TwistOp : Mine_Op<"twist", [Pure, AllTypesMatch<["source", "result"]>] # ElementwiseMappable.traits> {
  let summary = "An elementwise operation that no target has a lowering of";
  let arguments = (ins Tile_NumberTile:$source);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Mine_OpaqueOp : Mine_Op<"opaque", [Pure]> {
  let summary = "Says nothing about what it does";
  let arguments = (ins Tile_NumberTile:$source);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Mine_LanesAttr : AttrDef<Mine_Dialect, "Lanes", [DeclareAttrInterfaceMethods<LayoutAttrInterface>]> {
  let mnemonic = "lanes";
  let summary = "Element i of the last dimension is in lane i mod lanes, register i div lanes";
  let parameters = (ins "int64_t":$lanes);
  let assemblyFormat = "`<` $lanes `>`";
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dialect with a fold of tiles, which Kiln knows by its interfaces alone.
include "kiln/Dialect/Tile/TileInterfaces.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/IndexMap.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Folds_Dialect : Dialect {
  let name = "folds";
  let cppNamespace = "::folds";
}

def Folds_RowsOp : Op<Folds_Dialect, "rows", [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlockImplicitTerminator<"::kiln::tile::YieldOp">,
    DeclareOpInterfaceMethods<Tile_FoldOpInterface, ["getFoldedAxis"]>,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getNumSummedDims", "getIndexMap"]>]> {
  let summary = "Combines the elements of each row of a matrix";
  let arguments = (ins Tile_NumberTile:$source);
  let results = (outs Tile_NumberTile:$result);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result) $combiner";
}

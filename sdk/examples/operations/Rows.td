// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on rows of tiles, which Kiln knows by its interfaces alone.
#ifndef ROWS_TD
#define ROWS_TD

include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Gpu/LayoutRule.td"
include "kiln/Interfaces/AsyncCopy.td"
include "kiln/Interfaces/Cost.td"
include "kiln/Interfaces/IndexMap.td"
include "kiln/Interfaces/MatrixProduct.td"
include "kiln/Interfaces/Reduction.td"
include "kiln/Interfaces/WholeTiles.td"
include "kiln/Interfaces/ViewAccess.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Rows_Dialect : Dialect {
  let name = "rows";
  let cppNamespace = "::rows";
}

class Rows_Op<string mnemonic, list<Trait> traits> : Op<Rows_Dialect, mnemonic, traits>;

// Reduced as `tile.reduce` is: there is no lowering.
def Rows_SquaresOp : Rows_Op<"squares", [Pure,
    DeclareOpInterfaceMethods<ReductionOpInterface, ["buildSources"]>]> {
  let summary = "result[i, 0] = sum over j of source[i, j]^2";
  let arguments = (ins Tile_NumberTile:$source);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

// Multiplied by the matrix instructions of the description, its factors copied ahead: there is no lowering.
def Rows_MmaOp : Rows_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<IndexMapOpInterface, ["getNumSummedDims", "getIndexMap"]>,
    DeclareOpInterfaceMethods<MatrixProductOpInterface, ["getAccOperand"]>,
    DeclareOpInterfaceMethods<AccumulationOpInterface, ["areZerosNeutral"]>]> {
  let summary = "result = acc + lhs * rhs";
  let arguments = (ins Tile_NumberTile:$lhs, Tile_NumberTile:$rhs, Tile_NumberTile:$acc);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc)";
}

class Rows_LoadOp<string mnemonic> : Rows_Op<mnemonic, [DeclareOpInterfaceMethods<ViewAccessOpInterface>]> {
  let summary = "result[i, j] = view[row + i, column + j], and zero outside";
  let arguments = (ins Arg<Tile_ViewType, "", [MemRead]>:$view, Index:$row, Index:$column);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$view `at` `[` $row `,` $column `]` attr-dict `:` qualified(type($view)) `->` type($result)";
}

// Loaded, or copied ahead, as a `tile.load` is: there is no lowering.
def Rows_FetchOp : Rows_LoadOp<"fetch">;

// Copied ahead by an operation of its own, which a lowering of copies starts; else loaded as `rows.fetch` is.
def Rows_StreamOp : Rows_LoadOp<"stream">;

// What one thread starts for `rows.stream`. The names of operands are those of the interface, which has nothing more to be told.
def Rows_CopyLineOp : Rows_Op<"copy_line", [AsyncCopyOpInterface, AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "starts a copy that has the second-level cache read the rest of its line";
  let arguments = (ins AnyType:$source, AnyType:$target, I64Attr:$bytes, Optional<I1>:$mask, Optional<AnyTypeOf<[I1, I32]>>:$valid);
  let assemblyFormat = [{
    $source `to` $target `bytes` $bytes (`mask` $mask^)? (`valid` $valid^ `:` type($valid))? attr-dict
    `:` type($source) `,` type($target)
  }];
}

// Memory to memory. Its effects say what it reaches, so that barriers stand where they have to; a lowering has its code.
def Rows_CopyOp : Rows_Op<"copy", [TakesWholeTiles]> {
  let summary = "to[n] = from[n] for n below count and below both sizes";
  let arguments = (ins Arg<Tile_ViewType, "", [MemRead]>:$from, Arg<Tile_ViewType, "", [MemWrite]>:$to, I64Attr:$count);
  let assemblyFormat = "$from `to` $to `count` $count attr-dict `:` qualified(type($from)) `,` qualified(type($to))";
}

// Elements change threads: a layout rule, shared memory, and a lowering.
def Rows_RotateOp : Rows_Op<"rotate", [Pure, TakesWholeTiles, AllTypesMatch<["source", "result"]>,
    DeclareOpInterfaceMethods<LayoutRuleOpInterface>]> {
  let summary = "result[i, (j + by) mod size] = source[i, j]";
  let arguments = (ins Tile_NumberTile:$source, I64Attr:$by);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$source `by` $by attr-dict `:` type($source)";
}

#endif

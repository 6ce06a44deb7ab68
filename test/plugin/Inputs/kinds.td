// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dialect with one operation of each kind that tile has but a plug-in's own dialect seldom does: a gathering read, a scan, a sort,
// atomic updates through views and pointers, and an asynchronous copy with its wait.
include "kiln/Dialect/Stage/StageTypes.td"
include "kiln/Dialect/Stage/StorageInterfaces.td"
include "kiln/Dialect/Tile/TileInterfaces.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/Composite.td"
include "kiln/Interfaces/OrdersElements.td"
include "kiln/Interfaces/PointerAccess.td"
include "kiln/Interfaces/ViewAccess.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kinds_Dialect : Dialect {
  let name = "kinds";
  let cppNamespace = "::kinds";
}

class Kinds_Op<string mnemonic, list<Trait> traits> : Op<Kinds_Dialect, mnemonic, traits>;

def Kinds_PickOp : Kinds_Op<"pick", [DeclareOpInterfaceMethods<ViewAccessOpInterface>]> {
  let summary = "result[i, j] = view[rows[i], column + j], and zero outside";
  let arguments = (ins Arg<Tile_ViewType, "", [MemRead]>:$view, Tile_NumberTile:$rows, Index:$column);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$view `at` $rows `,` $column attr-dict `:` qualified(type($view)) `,` type($rows) `->` type($result)";
}

def Kinds_AddToOp : Kinds_Op<"add_to", [DeclareOpInterfaceMethods<ViewAccessOpInterface, ["getWrittenOperand"]>]> {
  let summary = "view[row + i, column + j] += value[i, j], each element atomically";
  let arguments = (ins Tile_NumberTile:$value, Arg<Tile_ViewType, "", [MemRead, MemWrite]>:$view, Index:$row, Index:$column);
  let assemblyFormat = "$value `,` $view `at` `[` $row `,` $column `]` attr-dict `:` type($value) `,` qualified(type($view))";
}

def Kinds_BumpOp : Kinds_Op<"bump", [DeclareOpInterfaceMethods<PointerAccessOpInterface, ["getStoredElements"]>]> {
  let summary = "*pointer += value for each element, atomically; gives what was there";
  let arguments = (ins Arg<Tile_AnyTile, "", [MemRead, MemWrite]>:$pointers, Tile_NumberTile:$value);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$pointers `,` $value attr-dict `:` type($pointers) `,` type($value) `->` type($result)";
}

def Kinds_RunningOp : Kinds_Op<"running", [Pure, AllTypesMatch<["source", "result"]>,
    DeclareOpInterfaceMethods<CompositeOpInterface>]> {
  let summary = "result[i, j] = sum of source[i, k] over k from 0 to j";
  let arguments = (ins Tile_NumberTile:$source);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Kinds_PrefixOp : Kinds_Op<"prefix", [RecursiveMemoryEffects, RecursivelySpeculatable, AllTypesMatch<["source", "result"]>,
    SingleBlockImplicitTerminator<"::kiln::tile::YieldOp">,
    DeclareOpInterfaceMethods<Tile_FoldOpInterface, ["getFoldedAxis", "keepsAxis", "isOrderedFold"]>]> {
  let summary = "A scan of rows by a region, of which no operation of tile says how it is computed";
  let arguments = (ins Tile_NumberTile:$source);
  let results = (outs Tile_NumberTile:$result);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = "$source attr-dict `:` type($source) $combiner";
}

def Kinds_ArrangeOp : Kinds_Op<"arrange", [Pure, OrdersElements, AllTypesMatch<["source", "result"]>,
    DeclareOpInterfaceMethods<CompositeOpInterface>]> {
  let summary = "The elements of each row, the largest first";
  let arguments = (ins Tile_NumberTile:$source);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Kinds_StartOp : Kinds_Op<"start", [Stage_StorageCopyOpInterface, AttrSizedOperandSegments]> {
  let summary = "Starts a copy of a block of a view to storage, by an engine of its own";
  let arguments = (ins Arg<Tile_ViewType, "", [MemRead]>:$source, Variadic<Index>:$from, Arg<Stage_Storage, "", [MemWrite]>:$target,
    Variadic<Index>:$to);
  let results = (outs Stage_TokenType:$token);
  let assemblyFormat = [{
    $source `[` $from `]` `to` $target (`[` $to^ `]`)? attr-dict `:` qualified(type($source)) `,` type($target)
  }];
  let extraClassDeclaration = [{
    bool getAsync() { return true; }
    std::optional<llvm::ArrayRef<int64_t>> getBox() { return std::nullopt; }
  }];
}

def Kinds_AwaitOp : Kinds_Op<"await", [Stage_AsyncWaitOpInterface, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for copies of the engine";
  let arguments = (ins Variadic<Stage_TokenType>:$awaited);
  let assemblyFormat = "$awaited attr-dict `:` type($awaited)";
  let extraClassDeclaration = "std::optional<uint64_t> getBut() { return std::nullopt; }";
}

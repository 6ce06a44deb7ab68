// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dialect of accesses to storage, which passes on staged kernels know by Kiln's interfaces alone. The operands have the names
// of the interfaces' methods: the definitions are all of the implementation.
include "kiln/Dialect/Stage/StageTypes.td"
include "kiln/Dialect/Stage/StorageInterfaces.td"
include "kiln/Dialect/Tile/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Depot_Dialect : Dialect {
  let name = "depot";
  let cppNamespace = "::depot";
}

class Depot_Op<string mnemonic, list<Trait> traits> : Op<Depot_Dialect, mnemonic, traits>;

def Depot_ReadOp : Depot_Op<"read", [Stage_StorageReadOpInterface]> {
  let summary = "Reads storage as stage.read does, by instructions of its own";
  let arguments = (ins Arg<Stage_Storage, "", [MemRead]>:$storage, Variadic<Index>:$origin);
  let results = (outs Stage_Tile:$result);
  let assemblyFormat = "$storage (`[` $origin^ `]`)? attr-dict `:` type($storage) `->` type($result)";
}

def Depot_WriteOp : Depot_Op<"write", [Stage_StorageWriteOpInterface]> {
  let summary = "Writes storage as stage.write does, by instructions of its own";
  let arguments = (ins Stage_Tile:$value, Arg<Stage_Storage, "", [MemWrite]>:$storage, Variadic<Index>:$origin);
  let assemblyFormat = "$value `,` $storage (`[` $origin^ `]`)? attr-dict `:` type($value) `,` type($storage)";
}

def Depot_CopyOp : Depot_Op<"copy", [Stage_StorageCopyOpInterface, AttrSizedOperandSegments]> {
  let summary = "Copies a whole block of a view to storage, by an engine of its own that waits for the end";
  let arguments = (ins Arg<Tile_ViewType, "", [MemRead]>:$source, Variadic<Index>:$from, Arg<Stage_Storage, "", [MemWrite]>:$target,
    Variadic<Index>:$to);
  let assemblyFormat = [{
    $source `[` $from `]` `to` $target (`[` $to^ `]`)? attr-dict `:` qualified(type($source)) `,` type($target)
  }];
  let extraClassDeclaration = [{
    bool getAsync() { return false; }
    std::optional<llvm::ArrayRef<int64_t>> getBox() { return std::nullopt; }
  }];
}

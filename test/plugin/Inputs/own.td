// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of one thread of a GPU, and a movement of tiles, whose interfaces say all that analyses ask.
include "kiln/Dialect/Tile/TileTypes.td"
include "kiln/Interfaces/IndexMap.td"
include "kiln/Interfaces/Synchronization.td"
include "kiln/Interfaces/ThreadAccess.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Own_Dialect : Dialect {
  let name = "own";
  let cppNamespace = "::own";
}

class Own_Op<string mnemonic, list<Trait> traits> : Op<Own_Dialect, mnemonic, traits>;
class Own_SyncOp<string mnemonic> : Own_Op<mnemonic, [DeclareOpInterfaceMethods<SynchronizationOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]>;

def Own_MeetOp : Own_SyncOp<"meet"> {
  let summary = "A barrier of the block";
  let assemblyFormat = "attr-dict";
}

def Own_CommitOp : Own_SyncOp<"commit"> {
  let summary = "Makes a group of the products since the last group";
  let assemblyFormat = "attr-dict";
}

def Own_FinishOp : Own_SyncOp<"finish"> {
  let summary = "Waits for all groups of products";
  let arguments = (ins AnyType:$sum);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$sum attr-dict `:` type($sum) `->` type($result)";
}

def Own_PeekOp : Own_Op<"peek", [DeclareOpInterfaceMethods<ThreadAccessOpInterface>, MemoryEffects<[MemRead]>]> {
  let summary = "Reads an element";
  let arguments = (ins AnyType:$address);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$address attr-dict `:` type($address) `->` type($result)";
}

def Own_MultiplyOp : Own_Op<"multiply", [DeclareOpInterfaceMethods<ThreadAccessOpInterface>,
    DeclareOpInterfaceMethods<AsyncProductOpInterface>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts a product that reads 64 bytes of shared memory";
  let arguments = (ins AnyType:$address, AnyType:$sum);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$address `plus` $sum attr-dict `:` type($address) `,` type($sum) `->` type($result)";
}

def Own_TurnOp : Own_Op<"turn", [Pure, DeclareOpInterfaceMethods<IndexMapOpInterface, ["getIndexMap", "movesElements"]>]> {
  let summary = "result[i, j] = source[j, i]";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

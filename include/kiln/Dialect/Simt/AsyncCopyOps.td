// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies that threads start, and waits for them.
#ifndef KILN_DIALECT_SIMT_ASYNCCOPYOPS_TD
#define KILN_DIALECT_SIMT_ASYNCCOPYOPS_TD

include "kiln/Dialect/Simt/SimtBase.td"
include "kiln/Dialect/Tile/TileAttrs.td"
include "kiln/Interfaces/AsyncCopy.td"
include "kiln/Interfaces/Synchronization.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Simt_CopyAsyncOp : Simt_Op<"copy_async", [AttrSizedOperandSegments, AsyncCopyOpInterface,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts an asynchronous copy from global to shared memory";
  let description = [{
    Until a `simt.wait_copies` covers its group (`simt.commit_copies`), the copy is in flight: no thread may read or write its target, or
    write its source.

    - `source`: an address in global memory; `target`: an address in shared memory; both are multiples of `bytes`.
    - `bytes`: the size of the copy.
    - `mask`: if false, nothing is copied; the default is true.
    - `valid`: the number of bytes that are read; the others are filled with zero. An i1 means all bytes or none. The default is all.

    Constraints:
    - (C1) `bytes` is 4, 8 or 16.

    Since: 0.2.

    Example:
    ```mlir
    simt.copy_async %p to %q bytes 16 mask %m valid %n : i32 : !llvm.ptr<1>, !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Simt_Pointer:$source, Simt_Pointer:$target, I64Attr:$bytes, Optional<I1>:$mask,
    Optional<AnyTypeOf<[I1, I32]>>:$valid);
  let assemblyFormat = [{
    $source `to` $target `bytes` $bytes (`mask` $mask^)? (`valid` $valid^ `:` type($valid))? attr-dict
    `:` qualified(type($source)) `,` qualified(type($target))
  }];
  let hasVerifier = 1;
}

def Simt_CommitCopiesOp : Simt_Op<"commit_copies", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Groups the thread's asynchronous copies since the last group";
  let description = [{
    The copies (`simt.copy_async`) that this thread has started since its previous `simt.commit_copies` become one group. Groups of a thread
    complete in program order. `simt.wait_copies` counts groups, so a copy that no group contains is never waited for. The operation does not
    wait. A group may be empty.

    In a kernel of tiles, the copies are those of `stage.copy`, and of indexed loads that are written to storage.

    Since: 0.2.

    Example:
    ```mlir
    simt.commit_copies
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Simt_WaitCopiesOp : Simt_Op<"wait_copies", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Waits for the thread's groups of copies, except the latest ones";
  let description = [{
    After the wait, this thread alone may read the copied bytes; a barrier after the wait makes them visible to the other threads. In a
    kernel of tiles, `simt-insert-barriers` inserts this operation, as it does all waits and barriers.

    - `but`: the number of latest groups that may stay in flight.

    Since: 0.2.

    Example:
    ```mlir
    simt.wait_copies but 2
    ```
  }];
  let arguments = (ins I64Attr:$but);
  let assemblyFormat = "`but` $but attr-dict";
}

#endif

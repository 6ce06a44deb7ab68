// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a block, of its warps, and in two parts.
#ifndef KILN_DIALECT_SIMT_BARRIEROPS_TD
#define KILN_DIALECT_SIMT_BARRIEROPS_TD

include "kiln/Dialect/Simt/SimtBase.td"
include "kiln/Dialect/Simt/SimtEnums.td"
include "kiln/Interfaces/Synchronization.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Simt_BarrierOp : Simt_Op<"barrier", [DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Barrier of a block that orders accesses to some memories";
  let description = [{
    All threads of the block must reach the barrier. Accesses to `memories` (shared memory, or all) that a thread executed before the
    barrier are complete for all threads after it. Accesses to other memories are not ordered. `gpu.barrier` orders all memories.

    Since: 0.2.

    Example:
    ```mlir
    simt.barrier shared
    ```
  }];
  let arguments = (ins Simt_Memories:$memories);
  let assemblyFormat = "$memories attr-dict";
}

def Simt_CreateSplitBarrierOp : Simt_Op<"create_split_barrier", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Creates a split barrier in shared memory: arrival and wait are two operations";
  let description = [{
    All threads of the block execute it once, before any `simt.arrive` with the same `place`, with a `gpu.barrier` in between.
    A phase of the barrier completes each time that all threads of the block have arrived.

    - `place`: the offset of the barrier in shared memory, in bytes; a multiple of 8. No other operation accesses the 8 bytes there.

    Since: 0.2.

    Example:
    ```mlir
    simt.create_split_barrier {place = 65536 : i64}
    ```
  }];
  let arguments = (ins I64Attr:$place);
  let assemblyFormat = "attr-dict";
}

def Simt_ArriveOp : Simt_Op<"arrive", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Arrives at a split barrier without waiting";
  let description = [{
    Accesses of this thread before the arrival happen before all operations of any thread after the `simt.await` of this phase. All threads
    of the block execute the operation. Between two arrivals of a thread there is a `simt.await`.

    - `place`: the place of the barrier, as in `simt.create_split_barrier`.
    - `phase`: identifies the phase of this arrival, for exactly one `simt.await`. Loops may carry the value; it has no other use.
      `simt-verify-barriers` verifies this.

    Since: 0.2.

    Example:
    ```mlir
    %phase = simt.arrive {place = 65536 : i64}
    ```
  }];
  let arguments = (ins I64Attr:$place);
  let results = (outs I64:$phase);
  let assemblyFormat = "attr-dict";
}

def Simt_AwaitOp : Simt_Op<"await", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Waits at a split barrier until all threads of the block have arrived";
  let description = [{
    Blocks the thread until every thread of the block has executed the `simt.arrive` of this phase. Accesses of any thread before its arrival
    are complete for this thread afterwards, in shared and global memory. All threads of the block execute the operation, once for each arrival.

    - `phase`: the phase of this thread's latest `simt.arrive`.
    - `place`: the place of the barrier, as in `simt.create_split_barrier`.

    Since: 0.2.

    Example:
    ```mlir
    simt.await %phase {place = 65536 : i64}
    ```
  }];
  let arguments = (ins I64:$phase, I64Attr:$place);
  let assemblyFormat = "$phase attr-dict";
}

def Simt_WarpBarrierOp : Simt_Op<"warp_barrier", [DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Barrier of the lanes of a warp";
  let description = [{
    Writes of a lane to shared memory before the barrier are visible to the other lanes of its warp after it. All lanes of
    the warp must reach it. `gpu.barrier` is the same for all warps.

    Since: 0.2.

    Example:
    ```mlir
    simt.warp_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies of tiles by a copy unit, and barriers that count their bytes.
#ifndef KILN_GPU_BULKCOPYOPS_TD
#define KILN_GPU_BULKCOPYOPS_TD

include "kiln/Interfaces/Synchronization.td"
include "kiln/Interfaces/ThreadAccess.td"

def Simt_SlotBarriersAttr : AttrDef<Simt_Dialect, "SlotBarriers"> {
  let mnemonic = "slot_barriers";
  let summary = "the barriers of the slots of a ring buffer";
  let description = [{
    As `barriers` of a `stage.ring`: each slot has two barriers in shared memory, 8 bytes each. The first ones, at `place` bytes, say that
    the slot is full: `stage.produce` makes a thread announce the bytes that its copies write, and `stage.consume` waits for them. The
    second ones, behind the first ones of all slots, say that a slot is empty: each warp arrives at a `stage.release`, and `stage.produce`
    waits for that. Where the ring holds slots (`held`), `stage.produce` waits for the release that frees the slot.

    Constraints:
    - (C1) `place` is a multiple of 8 and not negative.

    ```mlir
    #simt.slot_barriers<place = 196608>
    ```
  }];
  let parameters = (ins "int64_t":$place);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Simt_CreateBarriersOp : Simt_Op<"create_barriers", [MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "Makes barriers that count arrivals and bytes";
  let description = [{
    A barrier has phases, counted from 0. A phase is complete when as many threads as `arrivals` have arrived, and when all bytes that were
    announced in it (`simt.expect_bytes`) have been copied. Then the next phase begins.

    All threads of the block execute the operation, once, before any operation that names one of the barriers, and with a `gpu.barrier` in
    between.

    - `place`: where the first barrier lies in shared memory, in bytes; a multiple of 8. `count` barriers lie there, 8 bytes
      each. Nothing else accesses these bytes.
    - `arrivals`: of each phase.

    Since: 0.3.

    Example:
    ```mlir
    simt.create_barriers {place = 65536 : i64, count = 4 : i64, arrivals = 1 : i64}
    ```
  }];
  let arguments = (ins I64Attr:$place, I64Attr:$count, I64Attr:$arrivals);
  let assemblyFormat = "attr-dict";
}

def Simt_ExpectBytesOp : Simt_Op<"expect_bytes", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SlotBarrierOpInterface, ["replaceMask", "getAnnouncedBytes"]>]> {
  let summary = "Arrives at a barrier, and announces bytes that copies will write";
  let description = [{
    Counts as one arrival of the thread at the barrier. The current phase then completes only when `bytes` more bytes have been written by the
    `simt.copy_bulk` operations that name the barrier. The thread executes it before it starts these copies, and does not wait.

    - `barrier`: its address in shared memory.
    - `bytes`: the number of bytes that all these copies of this phase write together.
    - `mask`: if false, the thread does nothing.

    Since: 0.3.

    Example:
    ```mlir
    simt.expect_bytes %p bytes 16384 mask %m : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Simt_Pointer:$barrier, I64Attr:$bytes, I1:$mask);
  let assemblyFormat = "$barrier `bytes` $bytes `mask` $mask attr-dict `:` qualified(type($barrier))";
}

def Simt_CopyBulkOp : Simt_Op<"copy_bulk", [AttrSizedOperandSegments, AllTypesMatch<["target", "barrier"]>, MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<ThreadAccessOpInterface>,
    DeclareOpInterfaceMethods<SlotBarrierOpInterface, ["replaceMask", "getCopiedBytes"]>]> {
  let summary = "Copies a box of a view to shared memory, as a whole";
  let description = [{
    One thread starts the copy, and a copy unit performs it. It is asynchronous: from here until a thread's `simt.await_parity` of the phase in
    which its bytes were announced, that thread may neither read nor write the target.

    The element x of the box is the element `at + x` of the view at `base`, or zero where the view has none. In shared memory, the
    elements along dimension `along` form rows, one for each combination of the other coordinates, the last dimension fastest. Rows of more
    than `swizzle.row` bytes are cut into pieces of `swizzle.row` bytes; the first pieces of all rows come first. Within each aligned `swizzle.row` bytes
    chunks of `swizzle.chunk` bytes are permuted as `#simt.swizzle` says. Without a swizzle rows lie whole, one behind the other.

    - `base`: a pointer that the kernel got for a view, `sizes` and `strides` (in elements): those of the view. The one along `along` is 1.
    - `at`: coordinates of elements.
    - `target`: in shared memory, a multiple of `swizzle.align`.
    - `barrier`: in shared memory; it counts the bytes.
    - `mask`: whether the thread starts the copy.
    - `box`: sizes of the box; `element`: the type of the elements.

    Constraints:
    - (C1) Sizes, strides, coordinates and the box have as many numbers as the view has dimensions, at least one; `along` is one of these.
    - (C2) Rows are a power of two of bytes, of at least one chunk of the swizzle.

    Since: 0.3.

    Example:
    ```mlir
    simt.copy_bulk %base[%i, %j] sizes (%m, %n) strides (%n, %one) box [64, 64] of bf16 along 1 by #simt.swizzle<row = 128, chunk = 16, align = 1024>
      to %target barrier %p mask %first : !llvm.ptr<1>, !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Simt_Pointer:$base, Variadic<I64>:$at, Variadic<I64>:$sizes, Variadic<I64>:$strides, Simt_Pointer:$target,
    Simt_Pointer:$barrier, I1:$mask, DenseI64ArrayAttr:$box, TypeAttr:$element, I64Attr:$along, OptionalAttr<Simt_SwizzleAttr>:$swizzle);
  let assemblyFormat = [{
    $base `[` $at `]` `sizes` `(` $sizes `)` `strides` `(` $strides `)` `box` $box `of` $element `along` $along
    (`by` qualified($swizzle)^)? `to` $target `barrier` $barrier `mask` $mask attr-dict `:` qualified(type($base)) `,` qualified(type($target))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of an element, of a row of the box, and of a piece of one; rows of the box, and all bytes.
    int64_t getElementBytes();
    int64_t getRowBytes();
    int64_t getPieceBytes();
    int64_t getRows();
    int64_t getBytes();
  }];
}

def Simt_ArriveAtOp : Simt_Op<"arrive_at", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SlotBarrierOpInterface, ["replaceMask", "releasesAccesses"]>]> {
  let summary = "Arrives at a barrier";
  let description = [{
    Earlier accesses of the thread happen before the accesses of other threads behind their `simt.await_parity` for this phase. The same holds
    for accesses of the other lanes of its warp before an earlier `simt.warp_barrier`, and for reads by MMAs of the warp that an earlier
    `simt.wait_products` covers. The operation does not wait.

    - `barrier`: its address in shared memory.
    - `mask`: whether the thread arrives.

    Since: 0.3.

    Example:
    ```mlir
    simt.arrive_at %p mask %first : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Simt_Pointer:$barrier, I1:$mask);
  let assemblyFormat = "$barrier `mask` $mask attr-dict `:` qualified(type($barrier))";
}

def Simt_AwaitParityOp : Simt_Op<"await_parity", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SlotBarrierOpInterface, ["replaceMask", "getAwaitedParity"]>]> {
  let summary = "Waits until a phase of a barrier is complete";
  let description = [{
    Blocks the thread until the phase with this parity (the last bit of its number) is complete. Phases are numbered from 0. At a new barrier,
    phase 0 is the current one: a wait for parity 0 blocks until it is complete, and a wait for parity 1 does not block. A thread must
    execute its wait for a phase before the next phase is complete, because it blocks then until the phase after that is.

    After the wait, the thread may read the bytes that copies of this phase have written. It also sees all accesses that threads made before they
    arrived (`simt.arrive_at`).

    - `barrier`: its address in shared memory.
    - `parity`: 0 or 1.
    - `mask`: whether the thread waits; yes without it.

    Since: 0.3.

    Example:
    ```mlir
    simt.await_parity %p parity %n : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Simt_Pointer:$barrier, I32:$parity, Optional<I1>:$mask);
  let assemblyFormat = "$barrier `parity` $parity (`mask` $mask^)? attr-dict `:` qualified(type($barrier))";
}

def Simt_NamedBarrierOp : Simt_Op<"named_barrier", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SynchronizationOpInterface>]> {
  let summary = "The first threads of a block wait for each other";
  let description = [{
    Blocks the thread until all threads of the block with numbers below `threads` have reached an operation with this `number`. These may be different
    operations, so that warps with different code (producer and consumers) can meet. Accesses of these threads before the barrier are complete for
    all of them after it, in all memories. Threads with larger numbers do not execute it.

    - `number`: of the barrier, from 0. Of operations of one number all have the same `threads`.
    - `threads`: a multiple of the lanes of a warp.

    Since: 0.3.

    Example:
    ```mlir
    simt.named_barrier {number = 1 : i64, threads = 256 : i64}
    ```
  }];
  let arguments = (ins I64Attr:$number, I64Attr:$threads);
  let assemblyFormat = "attr-dict";
}

def Simt_SetRegistersOp : Simt_Op<"set_registers", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "How many registers each thread of some warps has from here on";
  let description = [{
    Moves registers between the warps of a block (warp specialization): a producer keeps few, consumers take more. All warps of a group execute
    the operation; `warps` of the description's `producer` is the number of warps of a group. Without `more`, the threads release the registers
    above `count`, whose contents are lost. With `more`, the threads block until enough registers of the block are free.

    - `count`: the number of 32-bit registers of a thread, a multiple of `granule` of the description's `producer`.
    - `more`: the threads have fewer registers than `count` so far; without it, more.

    Since: 0.3.

    Example:
    ```mlir
    simt.set_registers {count = 240 : i64, more}
    ```
  }];
  let arguments = (ins I64Attr:$count, UnitAttr:$more);
  let assemblyFormat = "attr-dict";
}

#endif

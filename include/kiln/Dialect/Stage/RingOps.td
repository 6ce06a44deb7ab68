// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ring buffers (multi-buffering).
#ifndef KILN_DIALECT_STAGE_RINGOPS_TD
#define KILN_DIALECT_STAGE_RINGOPS_TD

include "kiln/Dialect/Stage/StageAttrs.td"
include "kiln/Dialect/Stage/StageTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Stage_RingOp : Stage_Op<"ring", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Creates a ring buffer of storage, for multi-buffering";
  let description = [{
    A ring buffer has slots (stages), each with the same parts; a slot holds, for instance, the operands of one iteration. Two slots are double
    buffering. A producer fills
    slots (`stage.produce`), a consumer reads them (`stage.consume`) and frees them (`stage.release`), all in the same order.

    At first all slots are empty. The parts of a slot are contiguous in memory, each at a multiple of `align`, and so are the
    slots. `offset` is the place of the first slot in its memory, in bytes, as for `stage.alloc`.

    `held` says how many consumed slots stay full behind a `stage.release`: the first `held` of these operations free nothing, and each
    later one frees the oldest consumed slot. An asynchronous product may go on reading slots that are held. Without `held` none are.

    `barriers` says how a code generator makes producer and consumer wait for each other; it is of a family and opaque here. Without
    it the family inserts operations for that.

    Constraints:
    - (C1) `align` is a power of two.
    - (C2) `offset` is a multiple of `align` and not negative.
    - (C3) All parts are in one space, `#stage.space`, or there is none yet.
    - (C4) Layouts of parts are those of `stage.alloc`, C4.
    - (C5) `held` is not negative and leaves a slot to fill.

    Since: 0.1.

    Example: the copy of a block overlaps with the work on the one before.
    ```mlir
    !V = !tile.view<?xf32>
    !S = memref<64xf32, #stage.space<"pad">>
    !R = !stage.ring<2 x (!S)>
    tile.kernel @double(%x: !V, %y: !V) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = tile.num_blocks %x[0] by 64 : !V
      %end = arith.addi %n, %c1 : index
      %ring = stage.ring : !R
      scf.for %k = %c0 to %end step %c1 {
        %fill = arith.cmpi slt, %k, %n : index
        scf.if %fill {
          stage.produce %ring -> (%a) : !R {
            %t = stage.copy async %x[%k] to %a : !V, !S
            stage.commit %t
          }
        }
        %use = arith.cmpi sgt, %k, %c0 : index
        scf.if %use {
          %before = arith.subi %k, %c1 : index
          %a = stage.consume %ring : !R
          stage.compute [64] {
            %t = stage.read %a : !S -> tensor<64xf32>
            %d = arith.addf %t, %t : tensor<64xf32>
            tile.store %d, %y[%before] : tensor<64xf32>, !V
          }
          stage.release %ring : !R
        }
      }
    }
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$align, OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$held,
    OptionalAttr<AnyAttr>:$barriers);
  let results = (outs Stage_RingType:$ring);
  let assemblyFormat = "attr-dict `:` qualified(type($ring))";
  let builders = [OpBuilder<(ins "::mlir::Type":$ring, "::mlir::IntegerAttr":$align, "::mlir::IntegerAttr":$offset), [{
    build($_builder, $_state, ring, align, offset, /*held=*/::mlir::IntegerAttr(), /*barriers=*/::mlir::Attribute());
  }]>];
  let hasVerifier = 1;
}

def Stage_ProduceOp : Stage_Op<"produce", [
    SingleBlock, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Fills the next empty slot of a ring buffer";
  let description = [{
    Waits until a slot is empty. The arguments of the region are the parts of this slot; their elements are unwritten. The region ends
    in `stage.commit`. A pass may put the operation under a condition as a whole.

    Constraints:
    - (C1) The region has one argument per part of a slot, of the part's type.
    - (C2) The region ends in `stage.commit`.

    Since: 0.1. Example: see `stage.ring`.
  }];
  let arguments = (ins Arg<Stage_RingType, "the ring buffer">:$ring);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Stage_CommitOp : Stage_Op<"commit", [Terminator, HasParent<"ProduceOp">, Pure]> {
  let summary = "Marks the slot of a `stage.produce` as full";
  let description = [{
    The operands are the tokens of all asynchronous operations that still write the slot. The slot is full when they are
    complete; the producer does not wait for them. Without tokens the slot is full at once.

    Since: 0.1. Example: see `stage.ring`.
  }];
  let arguments = (ins Arg<Variadic<Stage_TokenType>, "what fills the slot">:$tokens);
  let assemblyFormat = "($tokens^)? attr-dict";
}

def Stage_ConsumeOp : Stage_Op<"consume", [
    InferTypeOpAdaptor, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Takes the oldest full slot of a ring buffer";
  let description = [{
    Waits until the next slot in order is full, asynchronous copies into it included. The results are its parts. A consumer may take
    several slots before it releases the first one.

    Since: 0.1. Example: see `stage.ring`.
  }];
  let arguments = (ins Arg<Stage_RingType, "the ring buffer">:$ring);
  let results = (outs Variadic<Stage_Storage>:$parts);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Stage_ReleaseOp : Stage_Op<"release", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Frees the oldest consumed slot of a ring buffer";
  let description = [{
    The elements of the slot become unwritten, and `stage.produce` may fill it again. No asynchronous operation that reads or
    writes the slot may be in flight. Where the ring holds slots (`held`), this happens that many releases later.

    Since: 0.1. Example: see `stage.ring`.
  }];
  let arguments = (ins Arg<Stage_RingType, "the ring buffer">:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

#endif

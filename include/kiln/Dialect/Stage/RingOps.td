// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings of slots, and roles that meet in them.
#ifndef KILN_DIALECT_STAGE_RINGOPS_TD
#define KILN_DIALECT_STAGE_RINGOPS_TD

include "kiln/Dialect/Stage/StageAttrs.td"
include "kiln/Dialect/Stage/StageTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Stage_RingOp : Stage_Op<"ring", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A queue of slots of storage";
  let description = [{
    All slots are empty. The parts of a slot lie one behind the other, each at a multiple of `align`, and slots
    likewise; `offset` is where the first starts, as for `stage.alloc`. `barriers` says how a code generator makes who fills slots
    and who empties them wait for each other; it is of a family and opaque here. Without it the family inserts operations for that.

    Constraints:
    - (C1) `align` is a power of two.
    - (C2) `offset` is a multiple of `align` and not negative.
    - (C3) All parts are in one space, `#stage.space`, or there is none yet.
    - (C4) Layouts of parts are those of `stage.alloc`, C4.

    One role fills a ring and one empties it, which `verify-stage-form` checks. Since: 0.1.

    Example: a loop that multiplies by two what the next iteration's copy brings meanwhile.
    ```mlir
    !V = !tile.view<?xf32>
    !S = memref<64xf32, #stage.space<"pad">>
    !R = !stage.ring<2 x (!S)>
    tile.kernel @double(%x: !V, %y: !V) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = tile.num_blocks %x[0] by 64 : !V
      %ring = stage.ring : !R
      stage.roles "load" {
        scf.for %k = %c0 to %n step %c1 {
          stage.produce %ring -> (%a) : !R {
            %t = stage.copy async %x[%k] to %a : !V, !S
            stage.commit %t
          }
        }
      } "double" hints {registers = 40 : i64} {
        scf.for %k = %c0 to %n step %c1 {
          %a = stage.consume %ring : !R
          stage.compute [64] {
            %t = stage.read %a : !S -> tensor<64xf32>
            %d = arith.addf %t, %t : tensor<64xf32>
            tile.store %d, %y[%k] : tensor<64xf32>, !V
          }
          stage.release %ring : !R
        }
      }
    }
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$align, OptionalAttr<I64Attr>:$offset, OptionalAttr<AnyAttr>:$barriers);
  let results = (outs Stage_RingType:$ring);
  let assemblyFormat = "attr-dict `:` qualified(type($ring))";
  let builders = [OpBuilder<(ins "::mlir::Type":$ring, "::mlir::IntegerAttr":$align, "::mlir::IntegerAttr":$offset), [{
    build($_builder, $_state, ring, align, offset, ::mlir::Attribute());
  }]>];
  let hasVerifier = 1;
}

def Stage_ProduceOp : Stage_Op<"produce", [
    SingleBlock, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Fills an empty slot";
  let description = [{
    Waits for a slot that is empty, whose parts the region gets, unwritten. The region ends in `stage.commit`. As
    a whole it can be put under a condition.

    Constraints:
    - (C1) The region has one argument per part of a slot, of the part's type.
    - (C2) The region ends in `stage.commit`.

    Since: 0.1. Example: see `stage.ring`.
  }];
  let arguments = (ins Arg<Stage_RingType, "the queue">:$ring);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Stage_CommitOp : Stage_Op<"commit", [Terminator, HasParent<"ProduceOp">, Pure]> {
  let summary = "Ends the filling of a slot";
  let description = [{
    The slot is full once the operations behind the tokens are done; there is no need to wait for them before.
    The tokens are those of all operations that are still writing the slot. Without tokens the slot is
    full at once.

    Since: 0.1. Example: see `stage.ring`.
  }];
  let arguments = (ins Arg<Variadic<Stage_TokenType>, "what fills the slot">:$tokens);
  let assemblyFormat = "($tokens^)? attr-dict";
}

def Stage_ConsumeOp : Stage_Op<"consume", [
    InferTypeOpAdaptor, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "The oldest slot that is full";
  let description = [{
    Waits for it, and until all that fills it is done. Several slots may be consumed before the first is released.

    Since: 0.1. Example: see `stage.ring`.
  }];
  let arguments = (ins Arg<Stage_RingType, "the queue">:$ring);
  let results = (outs Variadic<Stage_Storage>:$parts);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Stage_ReleaseOp : Stage_Op<"release", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Empties the oldest consumed slot";
  let description = [{
    Its elements become unwritten, and `stage.produce` may fill it again. Nothing that reads or writes it may be
    pending.

    Since: 0.1. Example: see `stage.ring`.
  }];
  let arguments = (ins Arg<Stage_RingType, "the queue">:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Stage_RolesOp : Stage_Op<"roles", [
    NoRegionArguments, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Regions that run beside each other";
  let description = [{
    They begin together, meet in rings, and the operation ends when all have ended. Regions share values that are
    defined before, but what one writes another reads only through a ring. `hints` of a region are for
    the family.

    Constraints:
    - (C1) There is at least one region, and one name and one dictionary of hints for each.
    - (C2) Names are distinct.
    - (C3) Regions yield nothing.

    Since: 0.1. Example: see `stage.ring`.
  }];
  let arguments = (ins StrArrayAttr:$names, TypedArrayAttrBase<DictionaryAttr, "dictionaries">:$hints);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of the stage dialect.
#ifndef KILN_DIALECT_STAGE_STAGEATTRS_TD
#define KILN_DIALECT_STAGE_STAGEATTRS_TD

include "kiln/Dialect/Stage/StageBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Stage_Attr<string name, string mnemonic_> : AttrDef<Stage_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Stage_SpaceAttr : Stage_Attr<"Space", "space"> {
  let summary = "The memory that holds storage";
  let description = [{
    `name` is a memory of the target's description. `permute` is a swizzle: it permutes bytes within aligned atoms and does not change
    the contents. The code generator defines it; the dialect does not interpret it. Operations that compute
    addresses take no swizzled storage.

    Examples: `#stage.space<"l1">`, `#stage.space<"shared", permute = {swizzle = 128 : i64}>`.
  }];
  let parameters = (ins StringRefParameter<"the name of a memory">:$name,
                        OptionalParameter<"::mlir::Attribute">:$permute);
  let assemblyFormat = "`<` $name (`,` `permute` `=` $permute^)? `>`";
}

def Stage_AtAttr : Stage_Attr<"At", "at"> {
  let summary = "The place of an operation in the schedule of its loop";
  let description = [{
    A modulo schedule for software pipelining, as the attribute `at`. `stage-schedule` writes it and `stage-pipeline` reads it. The
    operation runs `step` iterations after its own iteration began, and `order` is its place in the body of the pipelined loop.
    Greater steps belong to older iterations.

    Earlier passes request a place with the same attribute, which `stage-schedule` then replaces. There a step of 0 or less requests that
    many iterations before most operations of the loop, and `order` a place among the operations with requests. On a load, a step
    of -2 requests the iteration before that of the load's users. Its results wait in registers then.

    Example: `stage.release %ring {at = #stage.at<1, 7>} : !stage.ring<2 x (memref<64xf32>)>`.
  }];
  let parameters = (ins "int64_t":$step, "int64_t":$order);
  let assemblyFormat = "`<` $step `,` $order `>`";
}

def Stage_SlotsAttr : Stage_Attr<"Slots", "slots"> {
  let summary = "The slots that the rings of a loop have";
  let description = [{
    A decision about an `scf.for`, as its attribute `stage.decided`. `simt-stage-operands` writes it; `stage-make-rings` and
    `stage-pipeline` read it, and prefer it to their options.

    - `count`: slots of each ring.
    - `ahead`: iterations whose slots are filled before they are read; by default all slots but one.

    Constraints:
    - (C1) `count` is at least 1; `ahead` is less than `count`, and not negative.

    Example: `#stage.slots<4, ahead = 2>`.
  }];
  let parameters = (ins "int64_t":$count, OptionalParameter<"std::optional<int64_t>">:$ahead);
  let assemblyFormat = "`<` $count (`,` `ahead` `=` $ahead^)? `>`";
  let genVerifyDecl = 1;
}

def Stage_CloneAttr : Stage_Attr<"Clone", "clone"> {
  let summary = "Which clones of an access read the same bytes";
  let description = [{
    The attribute `stage.decided` of an access that `convert-tile-to-stage` put into several regions. All clones of one access have the
    same `number`. The one with `first`, the first in program order, defines what is read; the others must read the same.

    Example: `#stage.clone<0, first>`.
  }];
  let parameters = (ins "int64_t":$number, DefaultValuedParameter<"bool", "false">:$first);
  let hasCustomAssemblyFormat = 1;
}

def Stage_StreamAttr : Stage_Attr<"Stream", "stream"> {
  let summary = "Which stores of a region are non-temporal";
  let description = [{
    The stores of a `stage.compute` through views that have at least `bytes` bytes are non-temporal (streaming), where
    they write whole, aligned vectors: they leave no trace in caches. The end of the kernel orders them before what
    follows it. With `peel` the elements in front of the first aligned vector of each row are stored by themselves;
    without it, rows that begin elsewhere are stored as usual. No result depends on it. Constraint: `bytes` is positive.

    Example: `stage.compute [512] stream <33554432, peel = true> { ... }`.
  }];
  let parameters = (ins "int64_t":$bytes, OptionalParameter<"bool">:$peel);
  let assemblyFormat = "`<` $bytes (`,` `peel` `=` $peel^)? `>`";
  let genVerifyDecl = 1;
}

def Stage_Home : I32EnumAttr<"Home", "where the result of an operation lives", [
  I32EnumAttrCase<"recompute", 0>, I32EnumAttrCase<"keep", 1>, I32EnumAttrCase<"fuse", 2>,
  I32EnumAttrCase<"in_place", 3>]> {
  let cppNamespace = "::kiln::stage";
  let genSpecializedAttr = 0;
}

def Stage_HomeAttr : EnumAttr<Stage_Dialect, Stage_Home, "home"> {
  let summary = "Where the result of an operation lives";
  let description = [{
    `tile-decide-storage` writes this decision as the attribute `stage.decided` of an operation in a kernel of tiles, before the kernel is
    converted to this dialect:

    - `recompute`: every use computes the result (rematerialisation);
    - `keep`: the result is kept in storage;
    - `fuse`: the result is kept in storage, and the first reduction that reads it also writes it;
    - `in_place`: the result is kept in the memory of the tile that the surrounding loop carries in its place.

    Example: `math.exp %x {stage.decided = #stage.home<fuse>} : tensor<1024xf32>`.
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif

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
  let summary = "The memory that storage lies in";
  let description = [{
    `name` is a memory of the target's description. `permute` permutes the bytes within aligned atoms, as a
    swizzle does; it is of a family and opaque here, and does not change contents. Operations that compute
    addresses take no permuted storage.

    Examples: `#stage.space<"l1">`, `#stage.space<"shared", permute = {swizzle = 128 : i64}>`.
  }];
  let parameters = (ins StringRefParameter<"the name of a memory">:$name,
                        OptionalParameter<"::mlir::Attribute">:$permute);
  let assemblyFormat = "`<` $name (`,` `permute` `=` $permute^)? `>`";
}

def Stage_AtAttr : Stage_Attr<"At", "at"> {
  let summary = "The place of an operation in the schedule of its loop";
  let description = [{
    What `stage-schedule` writes, as the attribute `at`, and `stage-pipeline` reads: the operation runs `step`
    iterations after the iteration that it belongs to began, and among the operations of the new loop body at
    place `order`. Greater steps belong to older iterations.

    Passes before `stage-schedule` ask with it, and that pass replaces it. A step of 0 or less then asks for so many iterations before most
    of the loop's operations, and `order` for a place among the others that ask.

    Example: `stage.release %ring {at = #stage.at<1, 7>} : !stage.ring<2 x (memref<64xf32>)>`.
  }];
  let parameters = (ins "int64_t":$step, "int64_t":$order);
  let assemblyFormat = "`<` $step `,` $order `>`";
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
    As the attribute `stage.home` of an operation in a kernel of tiles, before it is converted to this dialect: the
    result is computed at every use (`recompute`), or in storage (`keep`), there by the first reduction that reads it
    (`fuse`), or in the memory of the tile that the loop around carries in its place (`in_place`). What
    `tile-decide-storage` decides.

    Example: `math.exp %x {stage.home = #stage.home<fuse>} : tensor<1024xf32>`.
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of schedule scripts: an extension of MLIR's transform dialect.
#ifndef KILN_SCRIPT_SCRIPTOPS_TD
#define KILN_SCRIPT_SCRIPTOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

class Script_Op<string name, list<Trait> traits = []>
  : Op<Transform_Dialect, "kiln." # name, traits # [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let cppNamespace = "::kiln::script";
}

def Script_Size : ConfinedAttr<I64Attr, [IntPositive]>;

def Script_MatchOp : Script_Op<"match", [DeclareOpInterfaceMethods<TransformOpInterface>, NavigationTransformOpTrait]> {
  let summary = "Finds operations by name, symbol and contents";
  let description = [{
    Returns a handle to every operation `name` in the operations of `root`, themselves included, in program order.
    `named` restricts them to those whose symbol, group kind or claim matches a glob pattern. `with` restricts them to those that
    contain an operation of that name.

    An empty result is an error that lists the candidates, unless `optional` is given. In a sequence for a target's
    extension point, where a module holds some of the kernels, it is no error.

    Example:
    ```mlir
    %kernel = transform.kiln.match "tile.kernel" in %module named "main_*" with "tile.dot" : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins StrAttr:$name, TransformHandleTypeInterface:$root, OptionalAttr<StrAttr>:$named,
                   OptionalAttr<StrAttr>:$with, UnitAttr:$optional);
  let results = (outs TransformHandleTypeInterface:$found);
  let assemblyFormat = [{
    $name `in` $root (`named` $named^)? (`with` $with^)? (`optional` $optional^)? attr-dict `:` functional-type($root, $found)
  }];
}

/// Decides something about each operation of a handle.
class Script_DecisionOp<string name> : Script_Op<name, [TransformOpInterface, TransformEachOpTrait]> {
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter, ::mlir::Operation *target,
        ::mlir::transform::ApplyToEachResultList &results, ::mlir::transform::TransformState &state);
  }];
}

def Script_SetBlocksOp : Script_DecisionOp<"set_blocks"> {
  let summary = "Sets the block sizes of a matmul or of attention";
  let description = [{
    On a `tile.kernel` with one matmul: rewrites the kernel and its launches to these block sizes. A size that is left out
    stays. On a `prim.fusion` or a `prim.claim`: the schedule that makes the kernel takes these sizes instead of those of
    the tiling model, and `parts` is how many instances share the depth (split-K). Of attention, `rows` are queries and
    `depth` are keys.

    The handle is consumed, with those of operations inside; the result is a handle to the same kernel or group.

    Example:
    ```mlir
    %smaller = transform.kiln.set_blocks %kernel rows 32 columns 64 depth 128 : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, OptionalAttr<Script_Size>:$rows,
                   OptionalAttr<Script_Size>:$columns, OptionalAttr<Script_Size>:$depth, OptionalAttr<Script_Size>:$parts);
  let results = (outs TransformHandleTypeInterface:$changed);
  let assemblyFormat = [{
    $target (`rows` $rows^)? (`columns` $columns^)? (`depth` $depth^)? (`parts` $parts^)? attr-dict
    `:` functional-type($target, $changed)
  }];
}

def Script_SetRasterOp : Script_DecisionOp<"set_raster"> {
  let summary = "Sets the order in which instances take the blocks of the grid";
  let description = [{
    The instances of a `tile.kernel` take the points of the grid in bands of `group` coordinates along axis 0 or 1
    (a swizzled grid), as `tile-raster` does. The handle is consumed; the result is a handle to the same kernel.

    Example:
    ```mlir
    %banded = transform.kiln.set_raster %kernel group 8 along 1 : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Script_Size:$group,
                   ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<1>]>:$along);
  let results = (outs TransformHandleTypeInterface:$changed);
  let assemblyFormat = "$target `group` $group `along` $along attr-dict `:` functional-type($target, $changed)";
}

def Script_SetScheduleOp : Script_DecisionOp<"set_schedule"> {
  let summary = "Names the schedule that makes a group a kernel";
  let description = [{
    On a `prim.fusion` or a `prim.claim`. It is an error if the schedule does not take the group.

    Example:
    ```mlir
    transform.kiln.set_schedule %group "generic.contraction" : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, StrAttr:$schedule);
  let assemblyFormat = "$target $schedule attr-dict `:` type($target)";
}

def Script_SetWarpsOp : Script_DecisionOp<"set_warps"> {
  let summary = "Sets the number of warps that run an instance of a kernel";
  let description = [{
    On a `tile.kernel`. The number is a power of two, and exact: a kernel that needs more warps is an error.

    Example:
    ```mlir
    transform.kiln.set_warps %kernel 8 : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Script_Size:$warps);
  let assemblyFormat = "$target $warps attr-dict `:` type($target)";
}

def Script_SetStagesOp : Script_DecisionOp<"set_stages"> {
  let summary = "Sets the number of stages of a loop's ring buffer";
  let description = [{
    On a loop of a kernel: the number of iterations in flight at once (software pipelining). 1 copies nothing ahead. The number is exact: a loop that
    cannot have it is an error with the reason.

    Example:
    ```mlir
    transform.kiln.set_stages %loop 4 : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Script_Size:$stages);
  let assemblyFormat = "$target $stages attr-dict `:` type($target)";
}

def Script_SetInstructionOp : Script_DecisionOp<"set_instruction"> {
  let summary = "Sets the matrix instruction of a matmul";
  let description = [{
    On a matmul such as `tile.dot`: it is computed by this entry of the description's `matrix_instructions`. On the cpu
    `rows`, `columns` and `depth` set the register block and the depth of a panel, which are multiples of the instruction's
    sizes; what is left out is chosen.

    Example:
    ```mlir
    transform.kiln.set_instruction %dot "fma.f32" rows 4 columns 32 : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, StrAttr:$instruction, OptionalAttr<Script_Size>:$rows,
                   OptionalAttr<Script_Size>:$columns, OptionalAttr<Script_Size>:$depth);
  let assemblyFormat = [{
    $target $instruction (`rows` $rows^)? (`columns` $columns^)? (`depth` $depth^)? attr-dict `:` type($target)
  }];
}

def Script_SetLayoutOp : Script_DecisionOp<"set_layout"> {
  let summary = "Sets the layout of a tile over registers, lanes and warps";
  let description = [{
    On an operation of a kernel that loads, stores or computes a tile element by element: its tiles have this `#simt.layout`. Operations
    that need another one get a conversion. The layout of a matmul follows from its instruction.

    Example:
    ```mlir
    transform.kiln.set_layout %load(#simt.layout<rank = 1, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>) : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, AnyAttr:$layout);
  let assemblyFormat = "$target `(` $layout `)` attr-dict `:` type($target)";
}

def Script_SetStorageOp : Script_DecisionOp<"set_storage"> {
  let summary = "Decides whether a tile is kept in memory or computed at each use";
  let description = [{
    On an operation of a kernel whose result is a tile: `recompute`, `keep`, `fuse` or `in_place`, as `#stage.home` defines them. What
    would change the kernel's results is an error.

    Example:
    ```mlir
    transform.kiln.set_storage %exp "keep" : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, StrAttr:$home);
  let assemblyFormat = "$target $home attr-dict `:` type($target)";
}

#endif

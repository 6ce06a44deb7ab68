// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between the ranks that run a program together.
#ifndef KILN_DIALECT_PROGRAM_COLLECTIVEOPS_TD
#define KILN_DIALECT_PROGRAM_COLLECTIVEOPS_TD

include "kiln/Dialect/Program/ProgramBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Program_RankLists : TypedArrayAttrBase<DenseI64ArrayAttr, "lists of ranks">;

def Program_CollectiveOp : Program_Op<"collective"> {
  let summary = "Starts an exchange between ranks";
  let description = [{
    Both buffers are dense. `kind` is one of

    | kind | on the k-th of the n ranks of a group |
    |---|---|
    | `all_reduce` | `target` becomes the combination of the sources |
    | `all_gather` | `target`, of n times as many elements, the sources one after the other |
    | `reduce_scatter` | `target`, an n-th, the k-th part of the combination of the sources |
    | `all_to_all` | part j of `target` becomes part k of the j-th rank's source, of n parts each |
    | `broadcast` | `target` becomes the source of the first rank |
    | `permute` | `target` becomes the source of the rank that a pair sends from, else zeros |
    | `rank` | `target`, one i32, becomes the number of this rank; there are no lists, and `source` is `target` |

    Parts and concatenations are in the order of elements in memory.

    - `lists`: groups of ranks; for `permute` pairs of a sender and a receiver.
    - `combiner`: that of `prim.all_reduce`, for `all_reduce` and `reduce_scatter`. The order of a sum is unspecified.

    The exchange is asynchronous. It is in flight until a `program.wait` for its target: until then no operation may use the target,
    or write the source. All ranks of a group must start the same exchanges in the same order, or they wait for each other without end. If
    an exchange fails on one rank, or a rank exits, the call ends with an error there and on all ranks that wait for it.
    Example:
    ```mlir
    program.collective "all_reduce" "add" %a to %b ranks [array<i64: 0, 1>] : memref<8xf32>, memref<8xf32>
    program.wait %b for %a : memref<8xf32>, memref<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, OptionalAttr<StrAttr>:$combiner, Arg<AnyMemRef, "", [MemRead]>:$source,
    Arg<AnyMemRef, "", [MemWrite]>:$target, Program_RankLists:$lists);
  let assemblyFormat = [{
    $kind ($combiner^)? $source `to` $target `ranks` $lists attr-dict `:` type($source) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Program_WaitOp : Program_Op<"wait"> {
  let summary = "Waits for an exchange between ranks";
  let description = [{
    Waits for the `program.collective` that was started with this target and this source. After the wait, operations may read the target and
    write the source. Each exchange has exactly one wait.
    Example: `program.wait %b for %a : memref<8xf32>, memref<8xf32>`.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$target, Arg<AnyMemRef, "", [MemRead, MemWrite]>:$source);
  let assemblyFormat = "$target `for` $source attr-dict `:` type($target) `,` type($source)";
}

#endif

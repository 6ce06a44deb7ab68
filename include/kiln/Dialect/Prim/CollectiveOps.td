// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between the ranks that run a program together.
#ifndef KILN_DIALECT_PRIM_COLLECTIVEOPS_TD
#define KILN_DIALECT_PRIM_COLLECTIVEOPS_TD

include "kiln/Dialect/Prim/PrimAttrs.td"

/// Lists of ranks: `[[0, 1], [2, 3]]`.
def Prim_RankLists : TypedArrayAttrBase<DenseI64ArrayAttr, "lists of ranks">;

/// Every rank of a group runs the operation, and they wait for each other.
class Prim_CollectiveOp<string mnemonic, list<Trait> traits = []> : Prim_Op<mnemonic, !listconcat([Pure], traits)> {
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Prim_RankOp : Prim_Op<"rank", [Pure, ExactResult, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "The number of the rank that runs the program";
  let description = [{
    Of the ranks 0, 1, ... that run a program together, the number of this one. It is 0 for a program that runs alone.

    Since: 0.2.

    Example: `%r = prim.rank : tensor<i32>`.
  }];
  let results = (outs 0DTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Prim_AllReduceOp : Prim_CollectiveOp<"all_reduce", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "Combines the tensors of a group of ranks";
  let description = [{
    result[i] = operand_0[i] * ... * operand_(n-1)[i] on every rank of a group, where * is the `combiner` and operand_k is the
    operand of the k-th of the n ranks of the group. `add`, `mul`, `min` and `max` are those of `prim.add`, `prim.mul`,
    `prim.minimum` and `prim.maximum` (NaN if one is NaN), `umin` and `umax` read integers as unsigned, `and`, `or` and `xor` are by
    bit. i1 has `and`, `or` and `xor`.

    `groups` are lists of ranks. A rank that runs the operation and is in no list ends its program with an error. Ranks of a group
    run the same collective operations in the same order.

    The order in which the operands are combined is not specified, but all ranks of a group get the same bits. Sums and products of
    f16 and bf16 are rounded after each step or at the end: with n ranks, at most n - 1 roundings. A group of one rank gives the
    operand.

    Constraints:
    - (C1) There is at least one group, no group is empty, and no rank is in two of them or twice in one.
    - (C2) Ranks are from 0 to 65535.
    - (C3) The combiner is not `set`; `umin`, `umax`, `and`, `or` and `xor` have integers; of i1 there are `and`, `or` and `xor`
      alone.

    Since: 0.2.

    Example: `%r = prim.all_reduce add %x groups [[0, 1], [2, 3]] : tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_ScatterKind:$combiner, Prim_Tensor:$operand, Prim_RankLists:$groups);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$combiner $operand `groups` custom<RankLists>($groups) attr-dict `:` type($operand)";
}

def Prim_AllGatherOp : Prim_CollectiveOp<"all_gather", [ExactResult]> {
  let summary = "Concatenates the tensors of a group of ranks";
  let description = [{
    The operands of the n ranks of a group one after the other along `dim`, in the order of the group, on every rank of it. Exact.
    `groups` are as for `prim.all_reduce`.

    Constraints:
    - (C1) There is at least one group, no group is empty, and no rank is in two of them or twice in one.
    - (C2) Ranks are from 0 to 65535.
    - (C3) All groups have the same size n.
    - (C4) `dim` is a dimension of the operand.
    - (C5) The operands of the ranks have one shape, which is that of the result but for `dim`, which is n times as large.
    - (C6) The result has the element type of the operand.

    Since: 0.2.

    Example: `%r = prim.all_gather %x dim 1 groups [[0, 1]] : tensor<4x8xf32> -> tensor<4x16xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, I64Attr:$dim, Prim_RankLists:$groups);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = [{
    $operand `dim` $dim `groups` custom<RankLists>($groups) attr-dict `:` type($operand) `->` type($result)
  }];
}

def Prim_ReduceScatterOp : Prim_CollectiveOp<"reduce_scatter"> {
  let summary = "Combines the tensors of a group of ranks and gives each a part";
  let description = [{
    The combined tensor, as of `prim.all_reduce` with this `combiner` and these `groups`, is split into n equal parts along `dim`, for a
    group of n ranks. The k-th rank of the group gets the k-th part. Combiners, order and rounding are those of `prim.all_reduce`. An extent that n does not divide, where
    it is known only when the program runs, ends the program with an error.

    Constraints:
    - (C1) There is at least one group, no group is empty, and no rank is in two of them or twice in one.
    - (C2) Ranks are from 0 to 65535.
    - (C3) All groups have the same size n.
    - (C4) `dim` is a dimension of the operand.
    - (C5) n divides the size of `dim`; the result has the shape of the operand but for `dim`, which is an n-th.
    - (C6) The result has the element type of the operand.
    - (C7) The combiner is not `set`; `umin`, `umax`, `and`, `or` and `xor` have integers; of i1 there are `and`, `or` and `xor`
      alone.

    Since: 0.2.

    Example: `%r = prim.reduce_scatter add %x dim 0 groups [[0, 1]] : tensor<4x8xf32> -> tensor<2x8xf32>`.
  }];
  let arguments = (ins Prim_ScatterKind:$combiner, Prim_Tensor:$operand, I64Attr:$dim, Prim_RankLists:$groups);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = [{
    $combiner $operand `dim` $dim `groups` custom<RankLists>($groups) attr-dict `:` type($operand) `->` type($result)
  }];
}

def Prim_AllToAllOp : Prim_CollectiveOp<"all_to_all", [ExactResult]> {
  let summary = "Each rank of a group gives a part of its tensor to each other";
  let description = [{
    The operand of every rank of a group is split into n equal parts along `split`; the result on the k-th of the n ranks is the k-th
    parts of all, one after the other along `concat` in the order of the group. Exact. `groups` are as for `prim.all_reduce`. An
    extent that n does not divide, where it is known only when the program runs, ends the program with an error.

    Constraints:
    - (C1) There is at least one group, no group is empty, and no rank is in two of them or twice in one.
    - (C2) Ranks are from 0 to 65535.
    - (C3) All groups have the same size n.
    - (C4) `split` and `concat` are dimensions of the operand.
    - (C5) n divides the size of `split`; the result has the shape of the operand but that `split` is an n-th of it and, after that,
      `concat` n times as large.
    - (C6) The result has the element type of the operand.

    Since: 0.2.

    Example: `%r = prim.all_to_all %x split 0 concat 1 groups [[0, 1]] : tensor<4x8xf32> -> tensor<2x16xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, I64Attr:$split, I64Attr:$concat, Prim_RankLists:$groups);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = [{
    $operand `split` $split `concat` $concat `groups` custom<RankLists>($groups) attr-dict
    `:` type($operand) `->` type($result)
  }];
}

def Prim_BroadcastOp : Prim_CollectiveOp<"broadcast", [ExactResult, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Gives the tensor of one rank to its group";
  let description = [{
    The operand of the first rank of a group, on every rank of it. Exact. `groups` are as for `prim.all_reduce`; the operands
    of the ranks have one shape.

    Constraints:
    - (C1) There is at least one group, no group is empty, and no rank is in two of them or twice in one.
    - (C2) Ranks are from 0 to 65535.

    Since: 0.2.

    Example: `%r = prim.broadcast %x groups [[1, 0], [2, 3]] : tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, Prim_RankLists:$groups);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operand `groups` custom<RankLists>($groups) attr-dict `:` type($operand)";
}

def Prim_PermuteOp : Prim_CollectiveOp<"permute", [ExactResult, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Sends tensors from ranks to others";
  let description = [{
    For every pair [s, t] of `pairs` the operand of rank s, on rank t. On a rank that is the second of no pair all elements are 0.
    Exact. A rank may send to several others; the operands of the ranks have one shape.

    Constraints:
    - (C1) Each list has two ranks, and no rank is the second of two lists.
    - (C2) Ranks are from 0 to 65535.

    Since: 0.2.

    Example: `%r = prim.permute %x pairs [[0, 1], [1, 0]] : tensor<4x8xf32>`.
  }];
  let arguments = (ins Prim_Tensor:$operand, Prim_RankLists:$pairs);
  let results = (outs Prim_Tensor:$result);
  let assemblyFormat = "$operand `pairs` custom<RankLists>($pairs) attr-dict `:` type($operand)";
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From prim to tile kernels and host programs.
#ifndef KILN_CONVERSION_PRIMTOTILE_TD
#define KILN_CONVERSION_PRIMTOTILE_TD

include "mlir/Pass/PassBase.td"

def PrimSplitPhases : Pass<"prim-split-phases", "::mlir::func::FuncOp"> {
  let summary = "Splits transposed convolutions by the phases of their results";
  let description = [{
    A convolution whose input is spread by D elements multiplies D - 1 zeros for each element of it. Results whose positions have the
    same remainder by D, a phase, read the same elements of the filter: they are a convolution without zeros. The pass
    computes the phases one by one and interleaves them, where the target computes out of caches. Where threads share tiles it does so for
    depthwise convolutions alone, since schedules of other ones read the phases themselves. It leaves convolutions with dynamic
    sizes, with more than 16 phases, and with a stride or a dilation along a spread dimension. It also leaves small ones: each phase takes
    launches of its own, which cost more than the multiply-adds that they save, ten times as many where threads share tiles. There, a
    convolution with a large window and an odd number of filters, such as the gradient of three filters, gets one filter of zeros more.
    One with few images and one channel, such as the gradient of filters of three channels for one image, becomes a matmul of a copy of
    its patches.
  }];
  let options = [
    Option<"leastWork", "least-work", "int64_t", "100000", "multiply-adds that the split saves for each phase, at least">
  ];
  let dependentDialects = ["::kiln::prim::PrimDialect"];
}

def PrimSinkTransposes : Pass<"prim-sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "Moves transpositions behind what computes with transposed elements";
  let description = [{
    Elementwise operations, reductions, paddings, slices, concatenations and reshapes of transposed tensors become transpositions
    of those operations, where the operands have one permutation or are broadcasts, splats and functions of these, which take any.
    A reshape that splits some dimensions and merges others is two. Transpositions that meet become one or none. So operations between two
    convolutions compute with channels last, as the convolutions have them. The pass works for targets whose threads share
    the tiles of an instance, and leaves other programs as they are. Values do not change: sums are added in any order
    (`prim.sum`).
  }];
  let dependentDialects = ["::kiln::prim::PrimDialect"];
}

def PrimFindLastUpdates : Pass<"prim-find-last-updates", "::mlir::func::FuncOp"> {
  let summary = "Finds which of several updates of one element is the last";
  let description = [{
    A `prim.scatter` of the kind `set` keeps the last update of each element. Where the threads of the target share tiles, they update in
    any order. There the pass scatters the number of each place by `max`, gathers it again, and moves places away that are not the last
    one of their element. What remains is a scatter with `unique`, for all threads at once, with the same result in each call. Elements of windows along
    indexed dimensions become places of their own. The pass leaves scatters with `unique`, with dynamic sizes and with fewer than 64
    places.
  }];
  let dependentDialects = ["::kiln::prim::PrimDialect"];
}

def PrimPrecompute : Pass<"prim-precompute", "::mlir::func::FuncOp"> {
  let summary = "Evaluates what depends on no argument";
  let description = [{
    Puts constants in the place of values that are functions of constants alone and include a function that
    is worth storing, an exponential or a cosine say: tables of positions. Of a chain of operations it takes the last
    one before elements are repeated or widened. Masks and indices stay computations.
  }];
  let options = [
    Option<"maxElements", "max-elements", "uint64_t", "262144", "most elements of a value that is evaluated">
  ];
  let dependentDialects = ["::kiln::prim::PrimDialect"];
}

def PrimFuse : Pass<"prim-fuse", "::mlir::func::FuncOp"> {
  let summary = "Groups prims that become one kernel";
  let description = [{
    Every operation that computes goes into a `prim.fusion`. Kinds: `loop` (elementwise and
    movement), `row` (reductions and what surrounds them), `contract` (a product with its prologue and
    epilogue), `window` (convolution, pooling). Movements of what lies in memory stay outside of
    groups; they are views. A producer joins the group of its consumers when all of them are in one
    group, when the joint group still has one affine iteration space, and when nothing expensive is
    rematerialised. A conversion to more bits is rematerialised in each group that reads it, and so are values that follow from the place
    of each element, such as the counters of random numbers. Elementwise groups whose
    results have one shape and that read a tensor in common become one group with several results, for which schedules of the kind `siblings` are asked.
    Groups that read the same rows, of which one reduces them, become one group with several results, of the kind `rows`.
    So do two sums over the same dimensions that read a tensor in common, for targets whose threads share tiles. Groups of few elements
    that go through the same rows become one for these targets, too, whatever they read.
    Values of few elements whose dimensions would split those of a product stay outside of its group.
  }];
  let options = [
    Option<"maxOps", "max-ops", "unsigned", "300", "most operations of one group; 1: do not fuse">
  ];
  let dependentDialects = ["::kiln::prim::PrimDialect"];
}

def PrimToTile : Pass<"convert-prim-to-tile", "::mlir::ModuleOp"> {
  let summary = "Turns groups into kernels and functions into host programs";
  let description = [{
    Legalizes `prim` for targets that compile kernels: no operation of `prim` is left. Offers every
    `prim.fusion` to the schedules registered for its kind; each gives a
    `tile.kernel` and a `program.launch`. Functions become `program.func`. Tile sizes come from the
    target's description. A group that no schedule takes is tried again operation by operation.

    `kiln.spec` of a function names other targets for some groups, by the names that their kernels will have.
    Schedules and block sizes of such a group are those of that target, and its kernels get `kiln.spec` and `kiln.target`.
  }];
  let dependentDialects = [
    "::kiln::prim::PrimDialect", "::kiln::tile::TileDialect", "::kiln::program::ProgramDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

#endif

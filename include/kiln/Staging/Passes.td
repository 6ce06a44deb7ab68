// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the stage level that serve every family.
#ifndef KILN_STAGING_PASSES_TD
#define KILN_STAGING_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyStageForm : Pass<"verify-stage-form"> {
  let summary = "Checks that kernels hold only what the stage level allows";
  let description = [{
    Inside of `tile.kernel`:

    - tiles without encoding exist only in regions of `stage.compute`, and those hold pure operations, accesses
      through views and pointers, reads and writes;
    - of `tile` there are kernels, ids, views and their accesses, pure operations except `tile.dot`, pointer
      accesses and atomics;
    - one role fills a ring and one empties it;
    - a future is waited for once on every path;
    - operations of other dialects compute addresses only of storage that is strided and not permuted.
  }];
}

def TileDecideStorage : Pass<"tile-decide-storage", "::kiln::tile::KernelOp"> {
  let summary = "Decides which tiles a kernel keeps and which it computes again";
  let description = [{
    Gives every operation whose result could be computed where it is used, and every matrix product, the attribute
    `stage.home`:

    - `recompute`: at every use, for the elements that it needs;
    - `keep`: once, in storage: a read through a view that a later write may touch before the last use; work of at
      least `keep-cost` simple operations per element (`tree-limit` where the operation itself is simple) that would
      be done more than once;
    - `fuse`: kept, and stored by the first reduction that reads it, on its way;
    - `in_place`: kept, in the memory of the tile that the loop around carries where this result goes.

    Operations that a lowering of the module's target or of its family takes get no attribute and are kept. `keep` that
    is there stays. Who reads the attributes checks them: they may be edited.
  }];
  let options = [
    Option<"keepCost", "keep-cost", "double", "8.0", "work per element that is worth storing">,
    Option<"treeLimit", "tree-limit", "double", "64.0", "the same for trees of simple operations">,
    Option<"disjoint", "disjoint", "bool", "false", "views that are parameters never overlap">
  ];
  let dependentDialects = ["::kiln::stage::StageDialect"];
}

def ConvertTileToStage : Pass<"convert-tile-to-stage", "::kiln::tile::KernelOp"> {
  let summary = "Puts what kernels compute on tiles into regions and storage";
  let description = [{
    Mechanical: every operation that something else sees (a store, an atomic access, a reduction, an operation that
    relates elements in no affine way) becomes a region that computes its operands from loads, constants, scalars
    and storage. A value that several regions need is computed in each of them, unless

    - it has the attribute `stage.home = #stage.home<keep>`;
    - it is the result of a reduction, a scan, a sort or the like;
    - it is a load, and what it reads may have been written by then, or is written by the region elsewhere than at the
      same place of the same view. Facts about parameters (`tile.readonly`, `tile.noalias`) tell memory apart.

    Those get storage, or are scalars where their rank is 0. Clones of a load are numbered (`stage.first`,
    `stage.again`), so that evaluation can check that they read the same. Bounds, spaces and places are chosen by other
    passes.

    A kernel that carries tiles through loops and conditions, or has products, is reported as unsupported.
  }];
  let dependentDialects = ["::kiln::stage::StageDialect", "::mlir::memref::MemRefDialect"];
}

def StageAllocate : Pass<"stage-allocate", "::kiln::tile::KernelOp"> {
  let summary = "Gives storage its place in its space";
  let description = [{
    Storage lives from its first to its last use: aliases, loops that it outlives, roles and what is under way
    are uses. Storage that is never alive at the same time may share bytes; the largest is placed first. Offsets that
    are there stay. `limits` gives bytes by space, as `pad=65536`; what does not fit is an error. With `report`,
    a remark at the kernel says how much of each space it takes.
  }];
  let options = [
    ListOption<"limits", "limits", "std::string", "bytes of a space, as `pad=65536`">,
    Option<"align", "align", "int64_t", "1", "the least alignment, in bytes">,
    Option<"report", "report", "bool", "false", "say how much of each space a kernel takes">
  ];
}

def StageMakeRings : Pass<"stage-make-rings", "::kiln::tile::KernelOp"> {
  let summary = "Lets the copies of a loop fill the slots of a ring";
  let description = [{
    In a `scf.for`, whole storage that a copy from a view fills in each iteration, before everything
    else that touches it there, and that nothing outside of the loop uses, becomes a part of a slot of
    one ring: the copies become asynchronous and fill a slot, which is consumed at once and released behind the
    last use. Program order stays; `stage-pipeline` moves the filling ahead.

    A copy may move to the last copy of its ring: nothing between them writes memory of the launch.
  }];
  let options = [Option<"depth", "depth", "int64_t", "2", "slots of a ring">];
}

def StageSchedule : Pass<"stage-schedule", "::kiln::tile::KernelOp"> {
  let summary = "Chooses the step and the order of the operations of loops with rings";
  let description = [{
    Annotates only. What fills a ring, and the index computations that it needs, get step 0; everything else runs
    `ahead` iterations later, by default as many as the shallowest ring of the loop allows: its depth minus one. In
    the new body the filling comes first. `at` of an operation that has one stays.
  }];
  let options = [Option<"ahead", "ahead", "int64_t", "-1",
                        "iterations between filling and use; -1: the depth of the ring minus one">];
}

def StagePipeline : Pass<"stage-pipeline", "::kiln::tile::KernelOp"> {
  let summary = "Rewrites loops by the schedule of their operations";
  let description = [{
    Every loop whose operations all have `at` becomes its first iterations of the early steps, and a loop in which
    iterations of several steps run beside each other; the early steps of iterations behind the last are left
    out by a condition. Uses scf::pipelineForLoop.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif

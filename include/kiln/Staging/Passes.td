// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the stage level, which every code generator uses.
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
    - a future is waited for once on every path;
    - operations of other dialects compute addresses only of storage that is strided and not permuted.
  }];
}

def TileDecideStorage : Pass<"tile-decide-storage", "::kiln::tile::KernelOp"> {
  let summary = "Decides which tiles a kernel keeps in memory and which it rematerialises";
  let description = [{
    Gives every operation whose result could be computed where it is used, and every matrix product, the attribute
    `#stage.home`:

    - `recompute`: every use computes the elements that it needs;
    - `keep`: computed once, and kept in storage. It is for a read through a view that a later write may change before the last use. It is
      also for work that would be repeated and costs at least `keep-cost` simple operations per element (`tree-limit` if the operation
      itself is simple);
    - `fuse`: kept, and stored by the first reduction that reads it;
    - `in_place`: kept in the memory of the tile that the surrounding loop carries in its place.

    Reshapes that join or divide dimensions get `recompute` if matmuls read what they load, or if they reshape the
    result of a matmul. Otherwise they get no attribute and are kept.

    Operations that a lowering of the module's target or of its family takes get no attribute and are kept. An existing `keep`
    stays. Passes that read the attributes check them, as scripts and editors may change them.

    With `keep-reads`, reads through views are kept, too: for machines that compute on storage alone.
  }];
  let options = [
    Option<"keepCost", "keep-cost", "double", "8.0", "work per element that is worth storing">,
    Option<"treeLimit", "tree-limit", "double", "64.0", "the same for trees of simple operations">,
    Option<"disjoint", "disjoint", "bool", "false", "views that are parameters never overlap">,
    Option<"keepReads", "keep-reads", "bool", "false", "keep reads through views in storage">
  ];
  let dependentDialects = ["::kiln::stage::StageDialect"];
}

def ConvertTileToStage : Pass<"convert-tile-to-stage", "::kiln::tile::KernelOp"> {
  let summary = "Converts computations on tiles to compute regions and storage";
  let description = [{
    The pass decides nothing. Each operation with an effect beyond its elementwise users (a store, an atomic access, a reduction, a matmul, an
    operation without an affine index map) becomes a `stage.compute` that computes its operands from loads,
    constants, scalars and storage. Operations that need whole operands (scans, sorts, those of a plug-in) read
    them from storage. The homes of tiles are those of `tile-decide-storage`:

    - `recompute`: computed in every region that needs the value. Tiles without a home are treated alike, except loads whose memory may
      be written before the use, which are kept;
    - `keep`: in storage, written by a region of its own;
    - `fuse`: in storage, written by the region of the reduction;
    - `in_place`: in the storage of the tile that the surrounding loop carries.

    Results of reductions, products, scans and the like are kept. Tiles of rank 0 are scalars. A tile that control flow
    carries has storage, which is written where the tile goes there; where that would overwrite what other tiles
    are still computed from, a second storage comes between. A product adds to storage that holds its accumulator.
    Reshapes that divide or join dimensions, assembly and printing see storage without gaps. Clones of a load are
    numbered (`#stage.clone`), so that evaluation can check that they read the same. Bounds, spaces and
    places are chosen by other passes.

    Tiles with an encoding are fragments and stay as they are; without `fragments` encodings are dropped, for
    machines that have no use for them.
  }];
  let options = [Option<"fragments", "fragments", "bool", "true", "tiles with an encoding are fragments">];
  let dependentDialects = ["::kiln::stage::StageDialect", "::mlir::memref::MemRefDialect"];
}

def StageMakeCopies : Pass<"stage-make-copies", "::kiln::tile::KernelOp"> {
  let summary = "Converts moves between views and storage to copies";
  let description = [{
    For machines that compute on storage alone, and reach memory by copies. A region that only loads and writes, or reads
    and stores, becomes a `stage.copy`. Any other region reads its loaded tiles from storage that a copy fills before
    it, and writes the tiles that it stores to storage from which a copy behind it moves them to the view. The box of an access has to be one that copies
    know: steps of 1, dimensions in order, none reached by indices, whole tiles, nothing volatile, no combination with what
    is there. Other accesses stay.
  }];
  let dependentDialects = ["::kiln::stage::StageDialect", "::mlir::arith::ArithDialect"];
}

def StageBlockProducts : Pass<"stage-block-products", "::kiln::tile::KernelOp"> {
  let summary = "Tiles matmuls of storage into loops over the blocks of a matrix instruction";
  let description = [{
    For machines whose matrix unit reads storage. The region of a product becomes loops over rows, columns and steps with
    a `stage.product` by the first instruction of the description that computes it, in blocks of the instruction's
    smallest sizes. Blocks outside of the views that both operands, or an operand and the result, are copied from
    and to are not computed. At the edges `rows`, `columns` and `depth` state how much of a block counts.

    An instruction computes a product under these conditions:

    - It takes the element types, integers with their signs.
    - It adds to its accumulator (`accumulate`).
    - All operands are in the memory that storage goes to (`home`).
    - The target provides the layout in which it reads operands: rows (`#kiln.order<row>`, or none); with the option `columns` also
      columns (`#kiln.order<col>`); with the option `panels` also whole panels (`#kiln.interleave`), for operands that copies from
      views fill.

    The copy moves elements to where the instruction reads them, so a tile is packed once, however many
    products read it. `stationary` names the operand that the innermost loop does not move.

    An operand that is computed gets storage, and a region that computes it. A product that no instruction takes
    stays as it is. The report names every instruction that was refused before the one that was chosen.
  }];
  let options = [
    Option<"space", "space", "std::string", "", "the memory that storage goes to; empty: as stage-place chooses it">,
    Option<"columns", "columns", "bool", "false", "whether the target reads operands that lie in columns">,
    Option<"panels", "panels", "bool", "false", "whether the target reads operands that lie in panels">
  ];
  let dependentDialects = ["::kiln::stage::StageDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def StageGuardProducts : Pass<"stage-guard-products", "::kiln::tile::Kernel"> {
  let summary = "Guards a faster version of matmuls of small integers";
  let description = [{
    Some instructions multiply values of fewer bits than their operands have, in less time. A product whose attribute
    has a version by such an instruction (ProductSplitAttrInterface) gets regions before it that check the values of the operands,
    and a condition: the faster version where all values fit, else the other.
  }];
  let dependentDialects = ["::kiln::stage::StageDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect"];
}

def StageSplitProducts : Pass<"stage-split-products", "::kiln::tile::KernelOp"> {
  let summary = "Tiles matmuls into loops over blocks, and packs their operands";
  let description = [{
    The region of a product with an attribute that states the split (ProductSplitAttrInterface, such as `#cpu.product`) becomes
    loops over as many steps of the reduced dimension as a panel holds. In each, the left operand is packed into panels
    of the block's rows; then, for each panel of columns, the right operand is packed, and `stage.product` adds the
    products of that panel with every left one to the accumulator. The computation of the operands (the prologue) moves to where they
    are packed, and is converted to the type of the instruction. The right operand of a skinny matmul is used as it
    lies in storage, or in a view where a whole panel is inside of it.

    Rows and columns beyond the view that an operand is loaded from are left out where only stores
    see them, and so are steps beyond both. While one panel is multiplied, parts of the next one are fetched
    (`stage.prefetch`).

    Products that a plug-in's lowering may take stay whole, and so do those without such an attribute.
  }];
  let dependentDialects = ["::kiln::stage::StageDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def StageBound : Pass<"stage-bound", "::kiln::tile::KernelOp"> {
  let summary = "Bounds the elements that regions compute, and where their accesses are in bounds";
  let description = [{
    A region without bounds that loads or stores through views gets two bounds, which operations before it compute from sizes of views and
    offsets:

    - `to`, if stores are its only sinks: the end of the points that its stores do not drop;
    - `safe`: the end of the points at which all of its accesses are in bounds. A region gets none if one box cannot describe these
      points: for an indexed access, an access that may start before its view, or a tile that is read at several points.
  }];
  let dependentDialects = ["::kiln::stage::StageDialect", "::mlir::arith::ArithDialect"];
}

def StagePlace : Pass<"stage-place", "::kiln::tile::Kernel"> {
  let summary = "Chooses the space, the alignment and the strides of storage";
  let description = [{
    Storage without a space goes to the memory `space` of the module's description, by default the first one that
    programs move data into, else the cache that is nearest. It is aligned as that memory asks, and to its lines.
    Rows start at lines, so that whole vectors fit behind their ends, and a line, or a vector register where that is
    longer, is free (`slack`) behind the last one. The accumulator of a `stage.product` has room for whole blocks; its rows are not a multiple of `conflict` bytes apart, which would share few
    sets of a cache. Storage with a layout, or that others see through a `memref.reinterpret_cast` or the like, keeps
    its strides. What has a space stays as it is.
  }];
  let options = [
    Option<"space", "space", "std::string", "", "the memory that storage goes to">,
    Option<"conflict", "conflict", "int64_t", "0", "bytes between rows that share sets of a cache; 0: none">
  ];
  let dependentDialects = ["::kiln::stage::StageDialect"];
}

def StageAllocate : Pass<"stage-allocate", "::kiln::tile::KernelOp"> {
  let summary = "Allocates storage: gives each buffer its offset in its memory";
  let description = [{
    Storage lives from its first to its last use: aliases, loops that it outlives and operations in flight
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

def StageMakeRings : Pass<"stage-make-rings", "::kiln::tile::Kernel"> {
  let summary = "Multi-buffers the copies and loads of a loop through the slots of a ring";
  let description = [{
    In a `scf.for`, storage becomes a part of a slot of one ring (a multi-buffer) under these conditions:

    - In each iteration a copy from a view, or a load (of any kind) and a `stage.write` of its result, fills the storage whole.
    - This happens before every other access of the iteration to the storage.
    - No operation outside of the loop uses the storage.

    The copies become asynchronous and fill a slot, together with the loads. The slot is consumed at once and released after its last
    use. Program order stays; `stage-pipeline` moves the filling ahead.

    The slots of a loop (`#stage.slots`) come before the option.

    Storage that goes to operations whose `at` has a negative step, which run before the rest of their iteration, has a ring
    of its own. Its slots are filled for iterations, too, that the loop does not have: the counter that their places are
    computed from is at most that of the last iteration.

    A copy may move to the last copy of its ring: nothing between them writes memory of the launch. What it reads follows
    from pure operations, as an iteration that is filled ahead has performed nothing else.
  }];
  let options = [Option<"depth", "depth", "int64_t", "2", "slots of a ring">];
}

def StageFitRings : Pass<"stage-fit-rings", "::mlir::ModuleOp"> {
  let summary = "Gives rings as many slots (stages) as their space allows";
  let description = [{
    Runs `stage-make-rings`, `stage-schedule` and `stage-pipeline` on every kernel, with rings of `depth` slots. If `stage-allocate` with the
    same `limits` finds no room for them, the pass tries one slot fewer, and so on. If there is no room for two slots, the kernel gets
    no rings. The report (`--explain`) has a row `rings` for every kernel with fewer slots than `depth`.
  }];
  let options = [
    Option<"depth", "depth", "int64_t", "2", "slots of a ring, at most">,
    ListOption<"limits", "limits", "std::string", "bytes of a space, as `pad=65536`">,
    Option<"align", "align", "int64_t", "1", "the least alignment, in bytes">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def StageSchedule : Pass<"stage-schedule", "::kiln::tile::Kernel"> {
  let summary = "Chooses the step and the order of the operations of loops with rings";
  let description = [{
    Only sets attributes. The operations that fill a ring, and the index computations that they need, get step 0; all others run
    `ahead` iterations later, by default as many as the shallowest ring of the loop allows: its depth minus one. In
    the new body the filling comes first. `at` of an operation that has one stays.

    An operation whose `at` has the step -1, and the operations that it needs, run one iteration before the rest. Rings that it consumes are
    filled first, the other ones an iteration later.

    The slots of a loop (`#stage.slots`) come before the option, where it has `ahead`.
  }];
  let options = [Option<"ahead", "ahead", "int64_t", "-1",
                        "iterations between filling and use; -1: the depth of the ring minus one">];
}

def StagePipeline : Pass<"stage-pipeline", "::kiln::tile::Kernel"> {
  let summary = "Software pipelining: rewrites loops by the schedule of their operations";
  let description = [{
    Every loop whose operations all have `at` becomes its first iterations of the early steps, and a loop in which
    iterations of several steps run beside each other; the early steps of iterations behind the last are left
    out by a condition. If an early step consumes a ring and the loop is known to have an iteration, the loop ends one
    iteration earlier, and the last step of the last iteration stands behind it. Else the ring is filled for iterations
    behind the last, too, and behind the loop these slots are consumed and released. Tiles that are chosen by an
    iteration's number, such as those of the first iteration, are taken where the number is known.
    Uses scf::pipelineForLoop.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif

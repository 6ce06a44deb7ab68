// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the GPU code generator: from tiles to the code of one thread.
#ifndef KILN_GPU_PASSES_TD
#define KILN_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def SimtApplyLowerings : Pass<"simt-apply-lowerings"> {
  let summary = "Runs the lowerings that plug-ins register for a GPU";
  let description = [{
    Offers each operation of a `tile.kernel` to the lowerings that are registered for the target or for the family
    `gpu`, highest priority first. The pass verifies the operations that a lowering emits, offers them to the other lowerings, checks them
    against the form of the tile level, and expands those that have no form for threads. It offers an operation to a lowering of priority
    50 or more before the code generator's own lowering, and to any other one only if the code generator has none. An operation
    keeps the reasons of lowerings that declined it in `kiln.reported`.

    With `early`, the pass runs before the expansions and offers operations to lowerings of priority 50 or more only. The run behind the
    expansions offers the rest, and does not repeat an offer that was declined.

    On an `llvm.func` of one thread, it offers the operations of `simt`, `gpu` and `llvm`, and those of plug-ins. With `copies` it
    leaves operations with `AsyncCopyOpInterface`, which `reference` evaluates as copies in flight.
  }];
  let options = [Option<"early", "early", "bool", "false", "run before expansions: offer operations to lowerings of priority 50 or more only">,
                 Option<"copies", "copies", "bool", "false", "leave operations that start copies">];
  let dependentDialects = ["::kiln::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def SimtAssignLayouts : Pass<"simt-assign-layouts", "::kiln::tile::KernelOp"> {
  let summary = "Assigns each tile a layout: which thread holds which elements";
  let description = [{
    Gives every tile of a kernel a `#simt.layout`. Loads and stores choose first, so that accesses are coalesced and vectorised: neighbouring
    threads get elements that are contiguous in memory, each as many as one access moves. Matmuls get the layouts of their
    matrix instruction. Other operations take the layout of an operand. Values that cost nothing (constants,
    iotas, broadcasts of them and arithmetic on them) are rematerialised in each layout that a user needs; for
    the rest the pass inserts `simt.convert_layout`. Before that, loops over unsigned integers become loops that count their trips, so that
    later passes may read all bounds as signed.

    The kernel gets `warps`, by its hints or the option. It gets more warps if the code of one thread would be too long with so few,
    up to the `threads_per_block` of the description. A tile that is too large even then is `unsupported`.
  }];
  let options = [
    Option<"warps", "warps", "int64_t", "0", "groups of threads that run in step; 0: as the kernel's hints say, else 4, 8 for products of more than 128 x 128, and without products 32 elements of each tile for a thread">,
    Option<"lanes", "lanes", "int64_t", "0", "threads of such a group, a power of two; 0: as the description says">];
  let dependentDialects = ["::kiln::simt::SimtDialect", "::mlir::arith::ArithDialect"];
}

def SimtRequestLoads : Pass<"simt-request-loads", "::kiln::tile::Kernel"> {
  let summary = "Moves loads before exchanges, so that more loads are in flight";
  let description = [{
    A `simt.convert_layout` of a loaded tile waits for memory, and then threads wait for each other. Loads of the block that stand behind it
    are moved before it, with the pure operations that they need, so that all are in flight at once. An exchange moves behind loads of up to
    128 bytes of a thread that come before its first user, unless tiles fill the registers. Not moved are volatile loads, those that need what is loaded or exchanged, and
    any across an operation with other effects than reading. A thread holds at most 16 bytes of a moved load, and 64 bytes of all of a block, in registers.
  }];
}

def SimtStageOperands : Pass<"simt-stage-operands", "::kiln::tile::KernelOp"> {
  let summary = "Stages operands of matmuls that loops load in shared memory";
  let description = [{
    A load whose only users are matmuls by a matrix instruction, directly or through a layout conversion, becomes storage in shared memory, a
    copy, and reads of fragments, one for each matmul. The passes of the stage level then make ring buffers of the storage and copy
    ahead (software pipelining). For an indexed load (by a list of indices or by pointers), the load itself and a
    `stage.write` are the copy, which threads execute by copies of their own.

    Conditions: the loop writes no memory, the elements are contiguous in pieces that asynchronous copies can move, all slots
    fit into shared memory, and the description has a unit of kind `dma`.

    Operands that an instruction reads from shared memory become storage without a layout conversion. Their rows are swizzled
    as the `#simt.swizzle` of the instruction states. Those that no copy brings there, since threads compute them or load them outside of loops,
    get storage, a `stage.write` of what threads have, and a `stage.read` for each product that takes them.

    The loop gets `stage.decided = #stage.slots`, with the number of stages: by its hints, else by the option, and less if the slots would not
    fit. With four stages and asynchronous MMAs it also says how many are filled ahead, two less, so that an MMA can stay in flight while the next one
    begins. If the pass cannot follow a hint, a warning states the reason, unless the kernel has `variants`.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", "0", "slots of a ring; 1: nothing is done; 0: three, four where a core has one block, or six where the grid has no more blocks than there are cores">,
    Option<"bytes", "bytes", "int64_t", "0", "bytes that storage may take; 0: as the description says, else 48 KiB">,
    Option<"lanes", "lanes", "int64_t", "0", "threads of a warp; 0: as the description says">];
  let dependentDialects = ["::kiln::simt::SimtDialect", "::kiln::stage::StageDialect", "::mlir::memref::MemRefDialect"];
}

def SimtOverlapProducts : Pass<"simt-overlap-products", "::kiln::tile::KernelOp"> {
  let summary = "Lets threads compute the operand of a matmul while the matrix unit multiplies";
  let description = [{
    In a loop with rings, an operand of one product may be computed from the accumulator of another one, as in attention. All
    operations of an iteration, except the second product and those that change its accumulator, then get an attribute `at` with step
    -1: `stage-schedule` and `stage-pipeline` let them run one iteration early. In the new body the accumulator is changed
    first, then the first product of the next iteration and the second one of this iteration begin, then threads compute.
    Conditions:

    - the instructions of both read shared memory, asynchronously;
    - the operands of the first product come from outside of the loop, or from boxes that are copied for this product alone, and
      no value that it needs is carried from iteration to iteration;
    - the loop carries the results of the second product, and does nothing else with them;
    - nothing else in the loop reads or writes memory;
    - the description of the target states `split_barriers` in `extra`;
    - the rings have two slots more than are filled ahead (`#stage.slots`): one is read, and the other lets warps be an
      iteration apart. `simt-stage-operands` gives this number if the registers of a core hold one instance only. With three
      slots, `simt-overlap-products` fills one ahead. Two instances would multiply and compute in turns anyway;
    - of loops that hand a sum on to each other, the loop is the one with the fewest operations;
    - the accumulators of all products of the loop, and the operands in registers, fit into `registers` words of a thread.
  }];
  let options = [Option<"registers", "registers", "int64_t", "192", "words of a thread that accumulators and operands may take">];
  let dependentDialects = ["::kiln::stage::StageDialect"];
}

def SimtRotateSums : Pass<"simt-rotate-sums", "::kiln::tile::KernelOp"> {
  let summary = "Moves the rescaling of a carried accumulator to the end of the iteration before";
  let description = [{
    A loop may change an accumulator that it carries before an asynchronous matmul of the iteration adds to it, as attention does when it
    rescales its accumulators. The matmul cannot begin before that change. This pass moves the change to the end of the
    iteration before, and for the first iteration to before the loop. In the last iteration the other operand of the change is the neutral element.

    Conditions: the loop carries the product's lhs as well (`simt-overlap-products`); one operation that has a neutral element changes the
    accumulator, which goes into this product alone; the other operand
    needs only values that the loop carries, or that are defined outside.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def SimtChooseBulkCopies : Pass<"simt-choose-bulk-copies", "::kiln::tile::KernelOp"> {
  let summary = "Lets a copy unit fill the slots of ring buffers";
  let description = [{
    Marks the copies into a ring buffer `bulk`, and gives the ring `barriers`, so that `simt-insert-barriers` inserts neither waits for its copies nor
    barriers for its slots: `stage.produce`, `stage.consume` and `stage.release` wait for each other, slot by slot. One thread starts the copy of a whole tile by a
    descriptor that the driver makes of the view when it launches the kernel. Conditions:

    - the description of the target states in `extra`, as `bulk_copies`, what the copy unit takes: the most dimensions of a view (`rank`) and elements of
      a box along one (`extent`). Strides and addresses are multiples of `align` bytes. A swizzle permutes chunks of `chunk` bytes in rows of `row`
      bytes;
    - each slot is filled by copies of boxes of views that are parameters of the kernel, or that it makes of pointers which are. Sizes and strides of
      the latter are numbers that a launch knows. Address and strides are known to be multiples of `align` bytes, sizes to have 31 bits, and one
      dimension is contiguous;
    - storage has that swizzle, and only asynchronous MMAs read it (`simt-stage-operands`);
    - the ring is used in one loop of the kernel, which fills, consumes and releases one slot in an iteration, and outside of loops.
  }];
  let dependentDialects = ["::kiln::simt::SimtDialect"];
}

def SimtPersistRings : Pass<"simt-persist-rings", "::kiln::tile::KernelOp"> {
  let summary = "Makes kernels persistent around ring buffers that a copy unit fills";
  let description = [{
    The body of a kernel becomes that of a loop over points of the grid, as by `tile-make-persistent`, but its ring buffers
    are made before the loop. A ring goes on from one point to the next: the warp that starts copies (`simt-split-producer`) fills
    slots for the next point while the other warps finish this one. Conditions:

    - `tile-make-persistent` could make the kernel persistent, it is not persistent yet, and its `hints` do not have
      `persistent = false` for the module's target;
    - a copy unit fills all rings (`simt-choose-bulk-copies`), and their copies can get a warp of their own: the description of
      the target states `producer` in `extra`, a block has room for more warps, and a core runs one block at a time;
    - if there are several rings, all loops take as many slots of each, or the trip counts of the loops are known, so that it is
      known, too, which slots are full where the work of a point begins (`simt-verify-barriers`);
    - the grid may have more points than the chip has cores;
    - rings, other storage, and what operations borrow of shared memory have room side by side. Exchanges of a tile take
      several rounds if that needs less memory. Behind the loops, each warp exchanges tiles for itself: where warps wait for
      each other at the end of a point, none of them multiplies meanwhile.

    If the trip counts of loops with several rings depend on the point, as with a causal mask, every second round of instances takes its points
    backwards. Points that become smaller and smaller then give all instances as much to do. Such a kernel is made persistent only
    if the grid has no more than four points for each core: of more, launches hand out the points better.

    The report (`--explain`) has the reason why a kernel with rings stays as it is.

    Where the hints of a kernel, or `all`, ask for a persistent kernel, it only needs rings that a copy unit fills, and room. If it
    lacks these, its threads fill the rings again, which `tile-make-persistent` makes anew for each point.

    ```mlir
    %ring = stage.ring ...
    %w = tile.instance_id : index
    scf.for %n = %w to %points step %count {
      stage.produce %ring ...
      scf.for ... { stage.produce %ring ... stage.consume %ring ... stage.release %ring }
    }
    ```
  }];
  let options = [
    Option<"all", "all", "bool", "false", "every kernel whose hints do not say otherwise, also where it does not pay">,
    Option<"askedOnly", "asked-only", "bool", "false", "no kernel by default">,
    Option<"lanes", "lanes", "int64_t", "0", "threads of a warp; 0: as the description says">];
  let dependentDialects = ["::kiln::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SimtShareCopies : Pass<"simt-share-copies", "::kiln::tile::KernelOp"> {
  let summary = "Lets the instances of a cluster copy for each other";
  let description = [{
    Instances that run as a cluster, in pairs along x (`tile.cluster_barrier [2, 1, 1]`), may read the same box of a view in every
    step of a loop: blocks of a matmul in one column read the same columns of the rhs. Then each block copies half of the
    box to the shared memory of both (multicast). The pass marks such copies `shared_by = 2` in `simt.decided`. What an instance has in its slot does not
    change. In the code of threads they are `simt.copy_in_cluster`, and a slot is released by `simt.arrive_in_cluster`. Conditions:

    - the kernel is not persistent, and ends with a barrier of the cluster;
    - a copy unit fills its only ring (`simt-choose-bulk-copies`);
    - the place of the box does not depend on the instance's coordinate along x, nor on memory. The same holds for the loops and conditions
      that the ring is used in, so that both instances use as many slots;
    - the halves are as the swizzle of the storage repeats.
  }];
  let dependentDialects = ["::kiln::simt::SimtDialect"];
}

def SimtStageProducts : Pass<"simt-stage-products", "::kiln::tile::KernelOp"> {
  let summary = "Makes each matmul a `stage.product` that says where its operands are";
  let description = [{
    Each operation with MatrixProductOpInterface becomes a `stage.product` by the row (matrix instruction, on tensor cores) that
    `simt-assign-layouts` chose, or by no row, if threads multiply (SIMT). Behind this pass a kernel has no `tile.dot`:
    `simt-insert-barriers` verifies that.

    - An operand is a fragment, or the storage that a `stage.read` for this product alone reads. A transpose or a bitcast
      between the two becomes `lhs_transposed` and `lhs_as`. The encoding of `lhs_as` states which thread reads what, if threads read
      the storage, in pieces. Otherwise the instruction reads it.
    - A product by an instruction that reads shared memory is `async`: its result is a future. A `stage.wait` for it stands right behind
      it, which `simt-insert-barriers` moves.
    - `columns` of `simt.decided` says how many columns one such instruction computes, which follows from the number of warps.
    - `padded` of `simt.decided` says that there is room for rows of operands that are a vector apart, where threads multiply.
    - An accumulator that the operation lacks becomes a constant.
    - `exchanged` of `simt.decided` becomes an attribute of the product.
    - A `stage.release` before the product that reads its slot moves behind it.

    A product that a plug-in's lowering takes stays what it is; no row computes it. Encoded operands are `unsupported`.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "0", "threads of a warp; 0: as the description says">];
  let dependentDialects = ["::kiln::simt::SimtDialect", "::kiln::stage::StageDialect", "::mlir::arith::ArithDialect"];
}

def SimtInsertBarriers : Pass<"simt-insert-barriers", "::kiln::tile::KernelOp"> {
  let summary = "Inserts barriers, waits for copies and products, and proxy fences";
  let description = [{
    A dataflow analysis. For each point of a kernel the pass computes which bytes of shared memory and which global memory the threads of a
    block have accessed since the last barrier, and which groups of copies are in flight. It follows conditions, and iterates over loops
    until nothing changes. It inserts

    - a `gpu.barrier` before an access that conflicts with an earlier one of another thread since the last barrier (they may alias, and one
      writes). The barrier goes before the outermost loop that contains the access but not the earlier one, unless iterations need one
      anyway. If the description says that barriers do not order global memory (`barriers_order`), it is a `simt.barrier`, which
      names the memories: `shared`, or `all` if accesses to global memory conflict;
    - a `simt.warp_barrier` if only lanes of one warp conflict;
    - a `simt.commit_copies` behind what fills a slot, and before a slot is consumed a `simt.wait_copies` for all groups but
      those that may be in flight, with a barrier behind it; where a slot is filled before, the wait stands there and
      one barrier serves both;
    - a `stage.wait but N` before the first use of the sum of an asynchronous product, or before the shared memory that it
      reads is written, in place of the wait behind the product. N products behind it may be in flight then. A sum may be in
      flight until the next iteration uses it, if no slot that the product reads is filled before: the loop carries the
      future. Where that iteration's product adds to it, the wait stands behind this one, and keeps its future; another wait
      stands behind the loop;
    - a `simt.publish` before the barrier behind a wait for copies, in kernels with asynchronous products.

    Rings with `barriers` (`simt-choose-bulk-copies`) need none of the waits and barriers for copies and slots. The pass gives these barriers places, makes
    them where the kernel begins (`simt.create_barriers`). In all rings, each `stage.release` moves behind the wait for the MMAs that read
    the slot. Where that wait is one of the next iteration, the release empties the slot before (`held`).

    It also gives places to the shared memory that operations borrow to exchange elements (`scratch` in its `simt.decided`):
    where nothing is pending, if there is room, so that no barrier is needed. Such memory begins behind the storage that
    is in use where the operation stands, and else at 0. The kernel gets `shared_bytes`.

    The lowering of an operation itself orders the writes and reads of that operation within its scratch memory.
    `simt-verify-barriers` verifies the result without this pass's analysis.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "0", "threads of a warp; 0: as the description says">];
  let dependentDialects = ["::kiln::simt::SimtDialect", "::mlir::gpu::GPUDialect"];
}

def SimtSplitBarriers : Pass<"simt-split-barriers", "::kiln::tile::KernelOp"> {
  let summary = "Lets threads arrive at a loop's barrier an iteration before they wait";
  let description = [{
    A loop with rings and asynchronous products, whose iterations have one `gpu.barrier`, keeps all warps in step. Here a thread arrives
    (`simt.arrive`) before the loop and once in each iteration, and waits (`simt.await`) at the beginning of the next one, so that
    warps may be an iteration apart. Before a thread arrives, it waits for the copies that the next iteration reads. Conditions:

    - the barrier parts nothing but accesses to slots of rings, and stands before them;
    - each iteration waits for its products;
    - each ring has a slot more than full ones where an iteration begins and the one that is filled;
    - the description of the target states `split_barriers` in `extra`.

    The barrier takes 8 bytes of shared memory behind all others. `simt-verify-barriers` verifies the result.
  }];
  let dependentDialects = ["::kiln::simt::SimtDialect"];
}

def ConvertTileToSimt : Pass<"convert-tile-to-simt", "::mlir::ModuleOp"> {
  let summary = "Converts kernels whose tiles have layouts to the code of one thread";
  let description = [{
    Every tile.kernel becomes an llvm.func with the attribute `simt.block`. Its parameters
    are, in order: for each view its address, sizes and strides in elements, 64 bits each; for each other parameter the
    scalar; at the end the three extents of the grid, 64 bits each. Blocks form one dimension.

    Barriers, waits and fences stand in the kernel already (simt-insert-barriers) and become those of the function.

    A tile becomes a scalar for each register of its layout. The body is made of arith, math, scf, gpu, llvm and simt
    operations.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "0", "threads of a warp; 0: as the description says">];
  let dependentDialects = ["::kiln::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::kiln::stage::StageDialect", "::mlir::memref::MemRefDialect"];
}

def SimtUnrollLoops : Pass<"simt-unroll-loops", "::kiln::tile::Kernel"> {
  let summary = "Unrolls short loops, so that their loads are requested together";
  let description = [{
    Without unrolling, an iteration waits for its loads before the next one begins. The pass unrolls a loop with constant bounds completely if

    - it has at most 16 iterations, in which a thread computes at most 800 values;
    - its loads take at most 64 bytes of registers, or 128 in a block of at least half the threads that a core holds.

    Inner loops come first. Loops with matmuls or volatile loads stay, and so do loops that load nothing, and those whose hints state how
    iterations run (`unroll`, `stages`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SimtSinkConversions : Pass<"simt-sink-conversions", "::kiln::tile::KernelOp"> {
  let summary = "Moves conversions that need more registers to the first use of their result";
  let description = [{
    Reduces register pressure. A conversion that makes a tile of more bytes in the registers of a thread moves in front
    of the first operation of its block that uses the result. Kernels without a matmul stay as they are. Such conversions are an `arith.extf`, and a
    `simt.convert_layout` to an operand of a matmul that several warps have alike. Only tiles of a quarter of the registers of a thread
    and more move.
  }];
}

def SimtNarrowOperands : Pass<"simt-narrow-operands", "::kiln::tile::KernelOp"> {
  let summary = "Gives matmuls the bf16 and f16 operands that were extended to f32";
  let description = [{
    A matmul of f32 operands that were extended from bf16 or f16 (or from 8-bit floats, which those types hold), with or without
    moves of elements since, such as a transpose, gets the operands before the extension. Every value of these types is
    a value of tf32, so the products are the same, and the matrix instruction is twice as fast and reads half of the
    bytes. Matmuls that ask for all bits of f32 stay, and those for whose narrow operands the description has no
    matrix instruction.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SimtInterleaveCopies : Pass<"simt-interleave-copies", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Spreads the copies of an iteration among its matrix instructions";
  let description = [{
    In the code of an iteration, the copies that fill a slot come before the matmul of the full slot. This pass moves them, with the end of
    their group, between the `simt.mma` of that matmul: twice as many as their share behind each, so that all copies are in flight
    by the middle of the matmul. Behind an asynchronous `simt.mma_async` all of them are issued at once. A copy moves over
    no operation that waits, writes memory or has regions.
  }];
}

def SimtSplitProducer : Pass<"simt-split-producer", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Warp specialization: gives bulk copies to a warp of their own";
  let description = [{
    A function whose first thread fills ring buffers (`simt.copy_bulk`) gets one warp more, the producer. That warp waits for empty slots and starts the
    copies; the others, the consumers, do all else. Threads that multiply then never wait for a slot to become empty, and copies
    run ahead as far as there are slots.

    Each thread executes the same operations on shared memory in the same order as before, only the thread that fills slots is
    another one. So what `simt-verify-barriers` has verified stays true: it does not order copies of a copy unit behind what the thread that
    starts them did before.

    Barriers become `simt.named_barrier`. One behind a proxy fence (`simt.publish`), outside of loops and before the last fill, is for all warps,
    any other one for the consumers. Conditions:

    - the loops, conditions and coordinates that fills need are computed from parameters and numbers of the block, without effects on memory;
    - the function has no split barriers and no output, and does not stop threads;
    - the block is alone on its core: it takes more than half of the scratchpad;
    - all warps are one group (`warps` of `producer` in the description), the kernel is persistent, a loop with copies computes more than
      products, or `everywhere` is given. Where the loops of several groups only multiply, all groups wait for the same slots, and a
      producer gains nothing.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "0", "threads of a warp; 0: as the description says">,
                 Option<"everywhere", "everywhere", "bool", "false", "also where loops of several groups only multiply">];
  let dependentDialects = ["::kiln::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect"];
}

def SimtExpandAccesses : Pass<"simt-expand-accesses", "::mlir::ModuleOp"> {
  let summary = "Turns masked accesses into branches";
  let description = [{
    `simt.load` and `simt.store` become loads and stores of `llvm`, within `scf.if` where they have a mask.
    For targets that have no instruction for them.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}

def SimtVerifyBarriers : Pass<"simt-verify-barriers", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Verifies barriers, waits and proxy fences of a function of one thread";
  let description = [{
    Two accesses to shared memory conflict if two threads reach one byte and one of them writes it. The pass verifies
    that every path through the function orders such accesses:

    - by a `gpu.barrier`, or by a `simt.warp_barrier` if both threads belong to one warp;
    - a `simt.copy_async` writes its bytes from where it stands until a `simt.wait_copies` covers its group;
    - a `simt.mma_async` reads all bytes of its operands from where it stands until a `simt.wait_products` covers its
      group; its sums reach only waits and further products before that;
    - between a thread's write and a `simt.mma_async` that reads it stand a `simt.publish` (a proxy fence) and then a
      barrier;
    - a `simt.copy_bulk` writes its bytes from where it stands until all threads have waited for the phase of the barrier that counts them.
      Accesses of other threads before it are ordered by their arrivals at a barrier (`simt.arrive_at`) and the wait of the thread that
      starts the copy, or by a proxy fence and a `gpu.barrier` outside of loops. A wait depends on no later arrival, a phase has as many arrivals and bytes as its barrier says;
    - all threads reach each barrier, and no copy or product is in flight where the function ends.

    The pass computes the bytes that each thread reaches from the function alone, for all threads (`simt.threads`) and all
    iterations. It does not use how barriers were placed. An unknown value (an index from memory) may be any number within
    the bounds that the code gives it.

    A violation is an error that begins with `unverified: ` at the second access, with a note at the first one. A function
    with asynchronous operations and more paths than the pass follows is an error, too; any other such function gets a
    remark. The driver compiles a kernel that fails once more without asynchronous copies.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "0", "threads of a warp; 0: as the description says">,
                 Option<"asyncOnly", "async-only", "bool", "false",
                        "skip functions without asynchronous copies and products">];
}

#endif

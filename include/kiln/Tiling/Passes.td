// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that choose block sizes.
#ifndef KILN_TILING_PASSES_TD
#define KILN_TILING_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileChooseBlocks : Pass<"tile-choose-blocks", "::mlir::ModuleOp"> {
  let summary = "Chooses block sizes by the cost model of the module's target";
  let description = [{
    Asks the tiling model of the target that `kiln.spec` and `kiln.target` name for the block sizes of every
    structured kernel that holds one matrix product, and rewrites the kernel and its launches to them, as
    `tile-retile` does. Kernels that a schedule made have `tiling`, the problem that the model was asked, and
    keep their blocks; so do kernels that cannot be rewritten, with the reason in the report (`--explain`).
    The pass changes nothing if the model says that kernels keep their block sizes.
  }];
}

def TileVaryBlocks : Pass<"tile-vary-blocks", "::mlir::ModuleOp"> {
  let summary = "Gives matmuls of unknown sizes variants with smaller blocks, for launches of few instances";
  let description = [{
    The pass applies to kernels with one matmul whose rows or columns only a launch knows, if the module's description has several cores
    and its target has no tiling model of its own. Such a kernel gets up to two variants with
    smaller blocks, which the model chooses for grids of fewer instances than there are cores. A launch runs the
    largest blocks with an instance for every core, else the smallest.

    ```mlir
    program.launch [@k_small_0, @k_small, @k] guards(%few, %idle) grid(...) args(...)
    ```

    Kernels that are launched by name list them as `variants`, each with a condition on the grid
    (`condition`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileChooseRaster : Pass<"tile-choose-raster", "::mlir::ModuleOp"> {
  let summary = "Swizzles the grid of matmuls: the order of instances with the fewest bytes from far memory";
  let description = [{
    Lets the instances of kernels that hold a matrix product take the points of the grid in bands, as `tile-raster`
    does, by a model of what comes from the memory behind the cache that all cores share: instances that run at the
    same time read each block of an operand once, and later ones read it again unless less than half of the cache was
    filled since. The sizes of the operands, the cache, its cores, and the rates of memory and of the matrix unit come from the
    kernel and from the module's description; sizes that only a launch knows count as 8192. A kernel stays as it is
    if no order saves a tenth of the bytes, if memory takes less than a quarter of the time of the multiply-adds, or if
    the description has no shared cache or no bandwidth. Kernels that print or assert, that number their instances, or
    whose instances wait for each other stay as they are, too.

    The option `raster` of the module's SPEC forces one: `raster=GROUP` or `raster=GROUPxAXIS` for every such kernel,
    `raster=off` for none.

    With `report`, a remark at each kernel has the bytes in both orders.
  }];
  let options = [
    Option<"report", "report", "bool", "false", "say how many bytes come from far memory">];
}

def TileShareRemainder : Pass<"tile-share-remainder", "::mlir::ModuleOp"> {
  let summary = "Stream-K: splits the last round (wave) of instances of matmuls along the depth";
  let description = [{
    A grid of T blocks on a machine that runs W instances at once takes T / W rounds, rounded up. Where the last one would
    have at most W / 2 instances, each of its blocks is computed by several instances, which take neighbouring steps of the
    depth and leave partial sums in a buffer of the program. A second kernel, `NAME_rest`, adds them up, always in the
    same order, and does what follows the product. No instance waits for another one. Sums are in another order than those of
    one instance, and the same in every run.

    Of the kernels that hold one product, those are rewritten that a single launch of a known grid runs, whose loop has known
    bounds and sums from zero, and which write nothing before its end. With the option `share_remainder=on` of the module's
    SPEC, a model decides where it pays: what is saved of a round, by the rate of the matrix unit, against the second
    kernel's start and the partial sums. With `instances`, every such kernel is rewritten, for that W.

    ```mlir
    %whole = arith.cmpi ult, %n, %c8 : index
    %sum = scf.for %k = %first to %last step %c1 ...
    scf.if %whole { ... } else { tile.store %sum, %partial[%p, %c0] ... }
    ```
  }];
  let options = [
    Option<"instances", "instances", "int64_t", "0", "instances that run at once; 0: as the description says">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileVarySizes : Pass<"tile-vary-sizes", "::mlir::ModuleOp"> {
  let summary = "Multi-versions kernels of unknown sizes: a variant for rows of whole wide accesses";
  let description = [{
    Applies if the tiling model of the module's target says that threads move several bytes at once (`accessBytes`). A private
    kernel with views whose sizes only a launch knows gets a variant `NAME_aligned`. In the variant, sizes and
    strides of such views are multiples of the elements of an access (`size_div`, `stride_div`). Launches
    choose it by a guard on their sizes.

    - If the sizes of all launches are known to be such multiples, the kernel itself gets these facts. If they are known not to be, there is
      no variant.
    - A variant that already has a guard (a single row) gets the facts, and the guard gets the condition as well. If it fails, the launch
      tries the next variant.

    ```mlir
    program.launch [@k_aligned, @k] guards(%divides) grid(...) args(...)
    ```

    Callers of a public kernel may pass any views. Its variants therefore also state where views begin
    (`align`), and the kernel names them in its attribute `variants`. A launch of the kernel takes the first one whose facts
    hold for its arguments.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instances a launch has, in which order they take the points of the grid, and clusters of them.
#ifndef KILN_DIALECT_TILE_GRIDOPS_TD
#define KILN_DIALECT_TILE_GRIDOPS_TD

include "kiln/Dialect/Tile/TileBase.td"
include "kiln/Index/IndexInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Results differ between the instances of a launch.
def Tile_InstanceValue : NativeOpTrait<"InstanceValue"> { let cppNamespace = "::kiln::tile"; }

def Tile_InstanceIdOp : Tile_Op<"instance_id", [
    Pure, Tile_InstanceValue, DeclareOpInterfaceMethods<IndexFactsOpInterface>]> {
  let summary = "Number of this instance among those of the launch";
  let description = [{
    - `id`: in [0, number of instances). Where instances start one after another, they start in this order.

    There is one instance for each point of the grid, unless the kernel asks for their number
    (`tile.num_instances`).

    Since: 0.1.

    Example:
    ```mlir
    %n = tile.instance_id : index
    ```
  }];
  let results = (outs Index:$id);
  let assemblyFormat = "attr-dict `:` type($id)";
}

def Tile_NumInstancesOp : Tile_Op<"num_instances", [
    Pure, DeclareOpInterfaceMethods<IndexFactsOpInterface>]> {
  let summary = "Number of instances of the launch";
  let description = [{
    A kernel that holds this operation is *persistent*: a launch starts as many instances as the machine runs at once,
    and no more than the grid has points, and each does the work of several points. `tile.num_programs` still has
    the extents of the grid.

    - `count`: at least 1, at most the number of points of the grid, otherwise as the driver chooses.

    Constraints:
    - (C1) The kernel has no `tile.program_id`: its instances have no single place in the grid.
    - (C2) The kernel does not declare `progress = concurrent`.

    Since: 0.1.

    Example:
    ```mlir
    %count = tile.num_instances : index
    ```
  }];
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict `:` type($count)";
  let hasVerifier = 1;
}

def Tile_GridCoordinatesOp : Tile_Op<"grid_coordinates", [
    Pure, DeclareOpInterfaceMethods<IndexFactsOpInterface>]> {
  let summary = "The point of a grid that has a number";
  let description = [{
    Instances that run at the same time share cached blocks of their operands if they are neighbours in the grid
    along both axes. If the first axis runs fastest, n of them in a row read n blocks along it for one along the second.
    In *bands*, which follow each other, they are closer to a square.

    - `number`: in [0, `width` * `height` * `depth`); any other number gives coordinates without a meaning.
    - `width`, `height`, `depth`: the extents of the grid along axes 0, 1 and 2, at least 1.
    - `group`, `along`: the coordinates in a band, and the axis, 0 or 1, along which they lie. Both are absent
      where the first axis runs fastest.
    - `x`, `y`, `z`: the coordinates. Different numbers have different ones.

    Within a band, the coordinate along axis `along` runs fastest, then the one along the other of axes 0 and 1, over
    its whole extent. The last band has the coordinates that are left. Axis 2 runs slowest. With extents A along
    `along` and B along the other axis, point n of a plane is

    ```
    g = min(group, A); band = n / (g * B); rest = n % (g * B); size = min(A - band * g, g)
    along: band * g + rest % size      other: rest / size
    ```

    which is a permutation of the plane, whatever the extents. Source: the grouped order of program ids in Triton's
    tutorial on matrix multiplication, there along axis 0.

    `tile.print` and `tile.assert` name the coordinates of the last operation of this kind in front of them, in
    their block or a block around it, and those of `tile.program_id` if there is none.

    Constraints:
    - (C1) `group` is at least 1 and `along` is 0 or 1, or both are absent.

    Since: 0.1.

    Example:
    ```mlir
    %n = tile.instance_id : index
    %nx, %ny, %nz = tile.num_programs : index, index, index
    %x, %y, %z = tile.grid_coordinates %n in (%nx, %ny, %nz) bands 8 along 1
    ```
  }];
  let arguments = (ins Index:$number, Index:$width, Index:$height, Index:$depth,
    OptionalAttr<I64Attr>:$group, OptionalAttr<I64Attr>:$along);
  let results = (outs Index:$x, Index:$y, Index:$z);
  let assemblyFormat = [{
    $number `in` `(` $width `,` $height `,` $depth `)` (`bands` $group^ `along` $along)? attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_ClusterBarrierOp : Tile_Op<"cluster_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all instances of a cluster";
  let description = [{
    A cluster is a box of neighbouring instances that run at the same time, on cores that can wait for each other. An
    instance belongs to the cluster of those whose coordinates in the grid, divided by `shape` and rounded down, are
    equal to its own.

    - `shape`: the extents of the cluster along x, y and z.

    No instance of a cluster continues behind the barrier before all instances of that cluster have reached it.
    Writes to memory in front of it happen before reads and writes behind it, in all instances of the cluster.
    Asynchronous copies in flight are not covered: wait for those that write memory in front of the barrier.

    All instances of a cluster execute the same number of these barriers. An instance that ends while another one
    of its cluster waits is an error, as are a grid that is no multiple of `shape` and a copy in flight that writes
    memory; `reference` reports all three.

    Targets whose cores cannot wait for each other refuse it: `unsupported: tile.cluster_barrier`. Kernels of the stage
    level hold the same operation, as they do `tile.program_id`.

    Constraints:
    - (C1) `shape` is three numbers of at least 1, the same for all barriers of a kernel.
    - (C2) The kernel is not persistent (`tile.num_instances`) and does not declare `progress = concurrent`.

    Since: 0.1.

    Example:
    ```mlir
    tile.cluster_barrier [2, 1, 1]
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$shape attr-dict";
  let hasVerifier = 1;
}

#endif

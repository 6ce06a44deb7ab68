// Blocks of a cluster exchange through memory as threads, and faults at their barrier are found.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: for seed in 0 1 2 3 4; do kiln-run swap.mlir --target=reference,threads=nvidia:sm_90a,seed=$seed,races=error --grid=4,2 --arg=zeros:f32:8x128 --save=0:y.npy && \
// RUN:   %python -c "import numpy as np; y = np.load('y.npy'); assert (y == np.array([1, 0, 3, 2, 5, 4, 7, 6])[:, None]).all(), y" || exit 1; done
// RUN: sed "s/tile.cluster_barrier.*FIRST//" swap.mlir > first.mlir
// RUN: sed "s/tile.cluster_barrier.*SECOND//" swap.mlir > second.mlir
// RUN: for seed in 0 1 2 3 4; do for name in first second; do \
// RUN:   not kiln-run $name.mlir --target=reference,threads=nvidia:sm_90a,seed=$seed,races=error --grid=4,2 --arg=zeros:f32:8x128 2>&1 | FileCheck swap.mlir --check-prefix=RACE || exit 1; done; done
// RUN: not kiln-run swap.mlir --target=reference,threads=nvidia:sm_90a --grid=3,2 --arg=zeros:f32:8x128 2>&1 | FileCheck swap.mlir --check-prefix=GRID
// RUN: not kiln-run uneven.mlir --target=reference,threads=nvidia:sm_90a --grid=2 2>&1 | FileCheck uneven.mlir
// RUN: not kiln-run swap.mlir --target=reference,threads=nvidia:sm_80 --grid=4,2 --arg=zeros:f32:8x128 2>&1 | FileCheck swap.mlir --check-prefix=CHIP

//--- swap.mlir
// Each block stores its number, and replaces it by that of its neighbour.
// RACE: race
// GRID: expected a grid in multiples of the cluster 2 x 1 x 1, found 3 x 2 x 1
// CHIP: unsupported: tile.cluster_barrier
tile.kernel @swap(%y: !tile.view<?x?xf32>) {
  %x, %row = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %before = arith.muli %row, %c4 : index
  %own = arith.addi %before, %x : index
  %other = arith.xori %own, %c1 : index
  %i = arith.index_cast %own : index to i32
  %n = arith.sitofp %i : i32 to f32
  %t = tile.splat %n : tensor<1x128xf32>
  tile.store %t, %y[%own, %c0] : tensor<1x128xf32>, !tile.view<?x?xf32>
  tile.cluster_barrier [2, 1, 1] // FIRST
  %o = tile.load %y[%other, %c0] : !tile.view<?x?xf32> -> tensor<1x128xf32>
  tile.cluster_barrier [2, 1, 1] // SECOND
  tile.store %o, %y[%own, %c0] : tensor<1x128xf32>, !tile.view<?x?xf32>
}

//--- uneven.mlir
tile.kernel @uneven() {
  %m = tile.program_id : index
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %m, %c0 : index
  scf.if %first {
    // CHECK: a block waits for others of its cluster, of which 1 have ended
    tile.cluster_barrier [2, 1, 1]
  }
}

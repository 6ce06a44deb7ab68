// Products of unknown sizes have variants with smaller blocks, so that small launches have an instance for each of eight cores.
// RUN: kiln-opt %s --load-target=%S/Inputs/unit16x8.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=unit16x8},tile-choose-blocks,tile-vary-blocks)' -o %t.varied
// RUN: FileCheck %s < %t.varied
// RUN: kiln-opt %s --load-target=%S/Inputs/unit16.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=unit16},tile-choose-blocks,tile-vary-blocks)' | FileCheck %s --check-prefix=ONE
// RUN: kiln-opt %s --load-target=%S/Inputs/unit16x8.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=unit16x8,retile=off},tile-choose-blocks,tile-vary-blocks)' | FileCheck %s --check-prefix=ONE
// Every variant computes the same: one instance of the large blocks, four, and many.
// RUN: kiln-run %t.varied --target=reference,races=error --entry=by_name --grid=1,1 --arg=random:1:f32:40x70 --arg=random:2:f32:70x60 --arg=zeros:f32:40x60 --save=2:%t.small.npy
// RUN: kiln-run %s --target=reference --entry=by_name --grid=1,1 --arg=random:1:f32:40x70 --arg=random:2:f32:70x60 --arg=zeros:f32:40x60 --save=2:%t.plain.npy
// RUN: %python -c "import numpy; assert numpy.allclose(numpy.load('%t.small.npy'), numpy.load('%t.plain.npy'), 1e-4, 1e-4)"
// RUN: kiln-run %t.varied --target=reference,races=error --entry=main --arg=random:1:f32:100x70 --arg=random:2:f32:70x190 --result=0:%t.main.npy
// RUN: kiln-run %s --target=reference --entry=main --arg=random:1:f32:100x70 --arg=random:2:f32:70x190 --expect=0:%t.main.npy --rtol=1e-4 --atol=1e-4

// ONE-NOT: _small
// ONE-NOT: variants = 

// The conditions are about the grid as the caller gives it, in blocks of 64 x 64; the smallest blocks come first.
// CHECK: #[[FEW:.*]] = affine_set<()[s0, s1, s2, s3, s4, s5] : (
// CHECK: #[[IDLE:.*]] = affine_set<()[s0, s1, s2, s3, s4, s5] : (
// CHECK-LABEL: tile.kernel @by_name(
// CHECK-SAME: tiling = "contraction ?x?x? {{.*}} -> [[#%u,ROWS:]]x[[#%u,COLUMNS:]]x
// CHECK-SAME: variants = [@by_name_small_[[N:[0-9]+]], @by_name_small]
// CHECK: tile.kernel private @by_name_small_[[N]](
// CHECK-SAME: condition = #
// CHECK: tile.kernel private @by_name_small(
// CHECK-SAME: condition = #
tile.kernel @by_name(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.readonly}, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<32x64xf32>
    %d = tile.dot %x, %y, %s : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
}

// CHECK: tile.kernel private @launched(
// CHECK: tile.kernel private @launched_small
// CHECK: tile.kernel private @launched_small
tile.kernel private @launched(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.readonly}, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<64x32xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<32x64xf32>
    %d = tile.dot %x, %y, %s : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
// CHECK-LABEL: program.func @main(
// CHECK: %[[IDLE:.*]] = arith.cmpi slt, %{{.*}}, %c8
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %{{.*}}, %c8
// CHECK: program.launch [@launched_small_{{[0-9]+}}, @launched_small, @launched] guards(%[[FEW]], %[[IDLE]])
// CHECK-NOT: program.launch
program.func @main(%a: memref<?x?xf32>, %b: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  %x = arith.ceildivsi %m, %c64 : index
  %y = arith.ceildivsi %n, %c64 : index
  %c = program.alloc sizes (%m, %n) : memref<?x?xf32>
  program.launch [@launched] grid (%x, %y, %c1) args (%a, %b, %c) writes [2] : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  program.return %c : memref<?x?xf32>
}

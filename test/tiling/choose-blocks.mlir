// Kernels that came with blocks get those of the target, and their launches follow; those that cannot be changed are
// judged by the limits.
// RUN: kiln-opt %s --load-target=%S/Inputs/unit16.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=unit16},tile-choose-blocks)' | FileCheck %s
// RUN: kiln-opt %s --load-target=%S/Inputs/unit16.mlir --pass-pipeline='builtin.module(kiln-set-target{spec=unit16,retile=off},tile-choose-blocks)' | FileCheck %s --check-prefix=OFF

// 128 x 128 x 64 in f32 are 192 KiB.
// CHECK-LABEL: tile.kernel @large
// CHECK-SAME: tiling = "contraction ?x?x? f32*f32+f32 holds
// CHECK: tile.dot {{.*}} tensor<64x16xf32>, tensor<16x128xf32>, tensor<64x128xf32>
// OFF-LABEL: tile.kernel @large
// OFF: tile.dot {{.*}} tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
tile.kernel @large(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.readonly}, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<64x128xf32>
    %d = tile.dot %x, %y, %s : tensor<128x64xf32>, tensor<64x128xf32>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<128x128xf32>, !tile.view<?x?xf32>
}

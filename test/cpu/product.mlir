// A product with accumulators in registers: one broadcast and two products per
// row and step, no accumulator in memory within the loop, and the blocks that
// were written for another machine replaced.
// REQUIRES: avx512f
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=asm -o - | FileCheck %s
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=tile -o - | FileCheck %s --check-prefix=TILE
// RUN: kiln-compile %s --target=cpu:x86-64-v4,retile=off --emit=tile -o - | FileCheck %s --check-prefix=KEEP
// RUN: kiln-run %s --target=cpu --grid=5,4 --arg=random:1:f32:300x77 --arg=random:2:f32:77x230 --arg=zeros:f32:300x230 --check

// Rows of the left panel lie 128 elements apart. The tile's 256 rows are 42 blocks of six, and one of four.
// CHECK-LABEL: kiln_micro_kernel_fma_f32_4x64_f32_f32_apart128_fresh:
// CHECK-COUNT-64: vfmadd231ps
// CHECK-LABEL: kiln_micro_kernel_fma_f32_6x64_f32_f32_apart128_fresh:
// CHECK: .p2align 4
// CHECK-NEXT: [[LOOP:.LBB[0-9_]+]]:
// CHECK-NOT: rsp
// CHECK-COUNT-96: vfmadd231ps
// CHECK: [[LOOP]]
// TILE: grid_scale
// TILE: tile.dot {{.*}}tensor<256x256xf32>, tensor<256x512xf32>, tensor<256x512xf32>
// KEEP: tile.dot {{.*}}tensor<64x64xf32>
tile.kernel @product(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.readonly},
                     %c: !tile.view<?x?xf32> {tile.noalias}) {
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

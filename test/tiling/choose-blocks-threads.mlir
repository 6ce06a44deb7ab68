// Kernels that came with blocks get ones that every thread has a share of, where their sizes are known.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:haswell,threads=2},tile-choose-blocks)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:haswell,threads=1},tile-choose-blocks)' | FileCheck %s --check-prefix=ONE

// CHECK: tiling = "contraction 256x256x256 {{.*}} -> 128x256x256"
// ONE: tiling = "contraction 256x256x256 {{.*}} -> 256x256x256"
tile.kernel @product(%a: !tile.view<256x256xi8> {tile.readonly}, %b: !tile.view<256x256xi8> {tile.readonly}, %c: !tile.view<256x256xi32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<128x512xi32>
  %n = tile.num_blocks %a[1] by 1024 : !tile.view<256x256xi8>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<128x512xi32>) {
    %x = tile.load %a[%i, %k] : !tile.view<256x256xi8> -> tensor<128x1024xi8>
    %y = tile.load %b[%k, %j] : !tile.view<256x256xi8> -> tensor<1024x512xi8>
    %d = tile.dot %x, %y, %s lhs_unsigned : tensor<128x1024xi8>, tensor<1024x512xi8>, tensor<128x512xi32>
    scf.yield %d : tensor<128x512xi32>
  }
  tile.store %acc, %c[%i, %j] : tensor<128x512xi32>, !tile.view<256x256xi32>
}

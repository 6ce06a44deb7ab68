// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An elementwise operation, a reduction, a product.
!X = !tile.view<?x?xf32>
tile.kernel @scale(%x: !tile.view<?xf32> {tile.readonly, tile.align = 16, tile.size_div = array<i64: 4>}, %a: f32,
                   %y: !tile.view<?xf32> {tile.noalias, tile.align = 16, tile.size_div = array<i64: 4>}) {
  %i = tile.program_id : index
  %v = tile.load %x[%i] : !tile.view<?xf32> -> tensor<2048xf32>
  %s = tile.splat %a : tensor<2048xf32>
  %w = arith.mulf %v, %s : tensor<2048xf32>
  tile.store %w, %y[%i] : tensor<2048xf32>, !tile.view<?xf32>
}

tile.kernel @largest(%x: !X {tile.readonly}, %y: !tile.view<?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%i, %c0] : !X -> tensor<8x1024xf32>
  %m = tile.reduce %v axis 1 : tensor<8x1024xf32> -> tensor<8xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maximumf %p, %q : f32
    tile.yield %r : f32
  }
  tile.store %m, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}

tile.kernel @product(%a: !tile.view<?x?xf16> {tile.readonly}, %b: !tile.view<?x?xf16> {tile.readonly}, %c: !X {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %n = tile.num_blocks %a[1] by 32 : !tile.view<?x?xf16>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %s : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xf32>, !X
}

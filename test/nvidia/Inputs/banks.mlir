// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of columns, which several warps share.
tile.kernel @columns(%x: !tile.view<64x32xf32> {tile.align = 16 : i64}, %y: !tile.view<32xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  %s = tile.reduce %t axis 0 : tensor<64x32xf32> -> tensor<32xf32> { ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  }
  tile.store %s, %y[%c0] : tensor<32xf32>, !tile.view<32xf32>
}

// Both factors through a ring; the right one has the dimension of the sum outside.
tile.kernel @rows(%x: !tile.view<64x1024xf32> {tile.align = 16 : i64}, %y: !tile.view<1024x64xf32> {tile.align = 16 : i64},
                  %z: !tile.view<64x64xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %i = %c0 to %c32 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %a = tile.load %x[%c0, %i] : !tile.view<64x1024xf32> -> tensor<64x32xf32>
    %b = tile.load %y[%i, %c0] : !tile.view<1024x64xf32> -> tensor<32x64xf32>
    %d = tile.dot %a, %b, %acc precision tf32 : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %r, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// Without an instruction: each thread reads rows of one factor and columns of the other.
tile.kernel @singles(%x: !tile.view<32x32xf32> {tile.align = 16 : i64}, %y: !tile.view<32x32xf32> {tile.align = 16 : i64},
                     %z: !tile.view<32x32xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<32x32xf32> -> tensor<32x32xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<32x32xf32> -> tensor<32x32xf32>
  %d = tile.dot %a, %b, %zero : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel without products has as many warps as have registers for the tiles that are needed at once: ten of 4096 numbers, where
// four warps of 32 lanes would have 32 of each in a thread that has 256 registers. Tiles that are used at once, one after the
// other, need no more than usual; nor do those that are made of constants.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts))' | FileCheck %s

#small = #kiln.target<name = "made-up", chip = "small", topology = <lanes = 32>,
  memories = [#kiln.memory<name = "registers", scope = thread, kind = register, size = 1024>,
    #kiln.memory<name = "lds", scope = core, kind = explicit, size = 65536>]>

module attributes {kiln.target = #small} {
// CHECK-LABEL: tile.kernel @together
// CHECK-SAME: warps = 8
tile.kernel @together(%x: !tile.view<?xf32>, %y: !tile.view<?xf32> {tile.noalias}) {
  %p0 = arith.constant 0 : index
  %p1 = arith.constant 1 : index
  %p2 = arith.constant 2 : index
  %p3 = arith.constant 3 : index
  %p4 = arith.constant 4 : index
  %p5 = arith.constant 5 : index
  %p6 = arith.constant 6 : index
  %p7 = arith.constant 7 : index
  %p8 = arith.constant 8 : index
  %p9 = arith.constant 9 : index
  %v0 = tile.load %x[%p0] : !tile.view<?xf32> -> tensor<4096xf32>
  %v1 = tile.load %x[%p1] : !tile.view<?xf32> -> tensor<4096xf32>
  %v2 = tile.load %x[%p2] : !tile.view<?xf32> -> tensor<4096xf32>
  %v3 = tile.load %x[%p3] : !tile.view<?xf32> -> tensor<4096xf32>
  %v4 = tile.load %x[%p4] : !tile.view<?xf32> -> tensor<4096xf32>
  %v5 = tile.load %x[%p5] : !tile.view<?xf32> -> tensor<4096xf32>
  %v6 = tile.load %x[%p6] : !tile.view<?xf32> -> tensor<4096xf32>
  %v7 = tile.load %x[%p7] : !tile.view<?xf32> -> tensor<4096xf32>
  %v8 = tile.load %x[%p8] : !tile.view<?xf32> -> tensor<4096xf32>
  %v9 = tile.load %x[%p9] : !tile.view<?xf32> -> tensor<4096xf32>
  %s1 = arith.addf %v0, %v1 : tensor<4096xf32>
  %s2 = arith.addf %s1, %v2 : tensor<4096xf32>
  %s3 = arith.addf %s2, %v3 : tensor<4096xf32>
  %s4 = arith.addf %s3, %v4 : tensor<4096xf32>
  %s5 = arith.addf %s4, %v5 : tensor<4096xf32>
  %s6 = arith.addf %s5, %v6 : tensor<4096xf32>
  %s7 = arith.addf %s6, %v7 : tensor<4096xf32>
  %s8 = arith.addf %s7, %v8 : tensor<4096xf32>
  %s9 = arith.addf %s8, %v9 : tensor<4096xf32>
  tile.store %s9, %y[%p0] : tensor<4096xf32>, !tile.view<?xf32>
}

// CHECK-LABEL: tile.kernel @in_turn
// CHECK-SAME: warps = 4
tile.kernel @in_turn(%x: !tile.view<?xf32>, %y: !tile.view<?xf32> {tile.noalias}) {
  %p0 = arith.constant 0 : index
  %p1 = arith.constant 1 : index
  %p2 = arith.constant 2 : index
  %p3 = arith.constant 3 : index
  %p4 = arith.constant 4 : index
  %p5 = arith.constant 5 : index
  %p6 = arith.constant 6 : index
  %p7 = arith.constant 7 : index
  %p8 = arith.constant 8 : index
  %p9 = arith.constant 9 : index
  %k0 = arith.constant dense<0.0> : tensor<4096xf32>
  %k1 = arith.constant dense<1.0> : tensor<4096xf32>
  %k2 = arith.constant dense<2.0> : tensor<4096xf32>
  %k3 = arith.constant dense<3.0> : tensor<4096xf32>
  %k4 = arith.constant dense<4.0> : tensor<4096xf32>
  %k5 = arith.constant dense<5.0> : tensor<4096xf32>
  %k6 = arith.constant dense<6.0> : tensor<4096xf32>
  %k7 = arith.constant dense<7.0> : tensor<4096xf32>
  %k8 = arith.constant dense<8.0> : tensor<4096xf32>
  %k9 = arith.constant dense<9.0> : tensor<4096xf32>
  %v0 = tile.load %x[%p0] : !tile.view<?xf32> -> tensor<4096xf32>
  %v1 = tile.load %x[%p1] : !tile.view<?xf32> -> tensor<4096xf32>
  %w1 = arith.mulf %v1, %k1 : tensor<4096xf32>
  %s1 = arith.addf %v0, %w1 : tensor<4096xf32>
  %v2 = tile.load %x[%p2] : !tile.view<?xf32> -> tensor<4096xf32>
  %w2 = arith.mulf %v2, %k2 : tensor<4096xf32>
  %s2 = arith.addf %s1, %w2 : tensor<4096xf32>
  %v3 = tile.load %x[%p3] : !tile.view<?xf32> -> tensor<4096xf32>
  %w3 = arith.mulf %v3, %k3 : tensor<4096xf32>
  %s3 = arith.addf %s2, %w3 : tensor<4096xf32>
  %v4 = tile.load %x[%p4] : !tile.view<?xf32> -> tensor<4096xf32>
  %w4 = arith.mulf %v4, %k4 : tensor<4096xf32>
  %s4 = arith.addf %s3, %w4 : tensor<4096xf32>
  %v5 = tile.load %x[%p5] : !tile.view<?xf32> -> tensor<4096xf32>
  %w5 = arith.mulf %v5, %k5 : tensor<4096xf32>
  %s5 = arith.addf %s4, %w5 : tensor<4096xf32>
  %v6 = tile.load %x[%p6] : !tile.view<?xf32> -> tensor<4096xf32>
  %w6 = arith.mulf %v6, %k6 : tensor<4096xf32>
  %s6 = arith.addf %s5, %w6 : tensor<4096xf32>
  %v7 = tile.load %x[%p7] : !tile.view<?xf32> -> tensor<4096xf32>
  %w7 = arith.mulf %v7, %k7 : tensor<4096xf32>
  %s7 = arith.addf %s6, %w7 : tensor<4096xf32>
  %v8 = tile.load %x[%p8] : !tile.view<?xf32> -> tensor<4096xf32>
  %w8 = arith.mulf %v8, %k8 : tensor<4096xf32>
  %s8 = arith.addf %s7, %w8 : tensor<4096xf32>
  %v9 = tile.load %x[%p9] : !tile.view<?xf32> -> tensor<4096xf32>
  %w9 = arith.mulf %v9, %k9 : tensor<4096xf32>
  %s9 = arith.addf %s8, %w9 : tensor<4096xf32>
  tile.store %s9, %y[%p0] : tensor<4096xf32>, !tile.view<?xf32>
}
}

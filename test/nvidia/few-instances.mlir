// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a launch has no more blocks than there are cores, a ring has six slots.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings))' | FileCheck %s

// CHECK-LABEL: tile.kernel @few
// CHECK: stage.ring {{.*}} : !stage.ring<6 x
tile.kernel @few(%a: !tile.view<?x4096xbf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<?x4096xbf16> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<?x4096xf32> {tile.noalias})
    attributes {most_instances = array<i64: 32, 4, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %i, %j = tile.program_id : index, index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x4096xbf16> -> tensor<64x64xbf16>
    %y = tile.load %b[%j, %k] : !tile.view<?x4096xbf16> -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %x, %t, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x4096xf32>
}

// CHECK-LABEL: tile.kernel @many
// CHECK: stage.ring {{.*}} : !stage.ring<3 x
tile.kernel @many(%a: !tile.view<?x4096xbf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<?x4096xbf16> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<?x4096xf32> {tile.noalias})
    attributes {most_instances = array<i64: 64, 4, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %i, %j = tile.program_id : index, index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x4096xbf16> -> tensor<64x64xbf16>
    %y = tile.load %b[%j, %k] : !tile.view<?x4096xbf16> -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %x, %t, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x4096xf32>
}

// CHECK-LABEL: tile.kernel @unknown
// CHECK: stage.ring {{.*}} : !stage.ring<3 x
tile.kernel @unknown(%a: !tile.view<?x4096xbf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<?x4096xbf16> {tile.readonly, tile.align = 16 : i64}, %c: !tile.view<?x4096xf32> {tile.noalias})
    attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %i, %j = tile.program_id : index, index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x4096xbf16> -> tensor<64x64xbf16>
    %y = tile.load %b[%j, %k] : !tile.view<?x4096xbf16> -> tensor<64x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %x, %t, %s : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<64x64xf32>, !tile.view<?x4096xf32>
}

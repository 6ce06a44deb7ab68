// The last round of instances is shared out along the depth: its blocks' partial sums are added by a second kernel.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile-share-remainder{instances=4})' -o %t.shared
// RUN: FileCheck %s < %t.shared
// Without the option nothing is; a machine whose rates are not known decides against it.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia},tile-share-remainder)' | FileCheck %s --check-prefix=OFF
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:znver4,share_remainder=on},tile-share-remainder)' | FileCheck %s --check-prefix=OFF
// On 132 cores 288 blocks are two rounds and a fifth; small ones are over before a second kernel has begun.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a,share_remainder=on},tile-share-remainder)' | FileCheck %s --check-prefix=MODEL
// The same results, on every level.
// RUN: kiln-run %s --target=reference --entry=main --arg=random:1 --arg=random:2 --result=0:%t.npy
// RUN: kiln-run %t.shared --target=reference,races=error --entry=main --arg=random:1 --arg=random:2 --expect=0:%t.npy --rtol=1e-4 --atol=1e-4
// RUN: kiln-run %t.shared --target=cpu,threads=2 --entry=main --arg=random:1 --arg=random:2 --expect=0:%t.npy --rtol=1e-4 --atol=1e-4

// OFF-NOT: _rest
// MODEL: tile.kernel private @large(
// MODEL: tile.kernel private @large_rest(
// MODEL-NOT: @small_rest

// 3 x 3 blocks are two rounds of 4, and one block that 2 instances share: 10 steps, 5 each.
// CHECK-LABEL: tile.kernel private @small(
// CHECK-SAME: !tile.view<32x32xf32> {tile.facts = {noalias}}
// CHECK-DAG: %[[N:.*]] = tile.instance_id
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[WHOLE:.*]] = arith.cmpi ult, %[[N]], %[[C8]]
// CHECK: tile.grid_coordinates
// CHECK: %[[LOW:.*]] = arith.select %[[WHOLE]]
// CHECK: %[[HIGH:.*]] = arith.select %[[WHOLE]]
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %[[LOW]] to %[[HIGH]]
// CHECK: scf.if %[[WHOLE]] {
// CHECK: arith.addf
// CHECK: tile.store %{{.*}}, %arg2
// CHECK: } else {
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: tile.store %[[SUM]], %arg3[
// CHECK-NEXT: }

// CHECK-LABEL: tile.kernel private @small_rest(
// CHECK-SAME: !tile.view<32x32xf32> {tile.facts = {readonly}}
// CHECK-NOT: tile.dot
// CHECK: scf.for
// CHECK: tile.load %arg3
// CHECK: arith.addf
// CHECK: tile.store %{{.*}}, %arg2
tile.kernel private @small(%a: !tile.view<48x160xf32> {tile.readonly}, %b: !tile.view<160x90xf32> {tile.readonly}, %c: !tile.view<48x90xf32> {tile.noalias}) {
  %j, %i = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %one = arith.constant dense<1.0> : tensor<16x32xf32>
  %sum = scf.for %k = %c0 to %c10 step %c1 iter_args(%s = %zero) -> (tensor<16x32xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<48x160xf32> -> tensor<16x16xf32>
    %y = tile.load %b[%k, %j] : !tile.view<160x90xf32> -> tensor<16x32xf32>
    %d = tile.dot %x, %y, %s : tensor<16x16xf32>, tensor<16x32xf32>, tensor<16x32xf32>
    scf.yield %d : tensor<16x32xf32>
  }
  %r = arith.addf %sum, %one : tensor<16x32xf32>
  tile.store %r, %c[%i, %j] : tensor<16x32xf32>, !tile.view<48x90xf32>
}

tile.kernel private @large(%a: !tile.view<3072x3072xbf16> {tile.readonly}, %b: !tile.view<3072x3072xbf16> {tile.readonly}, %c: !tile.view<3072x3072xbf16> {tile.noalias}) {
  %j, %i = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %sum = scf.for %k = %c0 to %c48 step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<3072x3072xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[%k, %j] : !tile.view<3072x3072xbf16> -> tensor<64x256xbf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  %r = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xbf16>
  tile.store %r, %c[%i, %j] : tensor<128x256xbf16>, !tile.view<3072x3072xbf16>
}

// CHECK-LABEL: program.func @main(
// CHECK: %[[P:.*]] = program.alloc : memref<32x32xf32>
// CHECK: program.launch [@small] grid(%c10{{.*}}) args(%{{.*}}, %{{.*}}, %[[C:.*]], %[[P]]) writes [2, 3]
// CHECK: program.launch [@small_rest] grid(%c1{{.*}}) args(%{{.*}}, %{{.*}}, %[[C]], %[[P]]) writes [2]
program.func @main(%a: memref<48x160xf32>, %b: memref<160x90xf32>) -> memref<48x90xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c = program.alloc : memref<48x90xf32>
  program.launch [@small] grid (%c3, %c3, %c1) args (%a, %b, %c) writes [2] : memref<48x160xf32>, memref<160x90xf32>, memref<48x90xf32>
  program.return %c : memref<48x90xf32>
}
program.func @square(%a: memref<3072x3072xbf16>, %b: memref<3072x3072xbf16>) -> memref<3072x3072xbf16> {
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %c24 = arith.constant 24 : index
  %c = program.alloc : memref<3072x3072xbf16>
  program.launch [@large] grid (%c12, %c24, %c1) args (%a, %b, %c) writes [2] : memref<3072x3072xbf16>, memref<3072x3072xbf16>, memref<3072x3072xbf16>
  program.return %c : memref<3072x3072xbf16>
}

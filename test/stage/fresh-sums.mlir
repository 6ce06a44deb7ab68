// Accumulators that are zero before their product are not filled: the first steps overwrite them. What no product
// writes is filled as before.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products))' | FileCheck %s
// RUN: kiln-opt %s -verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products,stage-place,stage-allocate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// RUN: kiln-run %s --entry=bounds --target=cpu,retile=off --grid=2,2 --arg=random:1:f32:37x60 --arg=random:2:f32:60x41 --arg=random:3:f32:64x64 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=bounds --target=cpu,retile=off --grid=2,2 --arg=random:1:f32:37x0 --arg=random:2:f32:0x41 --arg=random:3:f32:64x64 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=few --target=cpu,retile=off --grid=1 --arg=random:1:f32:32x0 --arg=random:2:f32:0x32 --arg=random:3:f32:32x32 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RESULT: argument 2 {{.*}}: ok

!V = !tile.view<?x?xf32>

// All of it is written: there is nothing to fill.
// CHECK-LABEL: tile.kernel @all
// CHECK-NOT: dense<0
// CHECK: stage.product {{.*}} fresh %true
tile.kernel @all(%x: !tile.view<32x16xf32> {tile.readonly}, %y: !tile.view<16x32xf32> {tile.readonly}, %z: !tile.view<32x32xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<32x16xf32> -> tensor<32x16xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<16x32xf32> -> tensor<16x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 16>}
    : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// Rows and columns behind the ends of the factors, of a loop that may not run, in one that runs again.
// CHECK-LABEL: tile.kernel @bounds
// CHECK: scf.for
// CHECK: %[[runs:.*]] = arith.cmpi slt
// CHECK: %[[rows:.*]] = arith.select %[[runs]], %{{.*}}, %c0
// CHECK: stage.compute [32, 32] from[%[[rows]], %c0] to[%c32, %c32]
// CHECK: stage.compute [32, 32] from[%c0, %[[columns:.*]]] to[%[[rows]], %c32]
// CHECK: scf.for %[[k:.*]] =
// CHECK: %[[first:.*]] = arith.cmpi eq, %[[k]],
// CHECK: stage.product {{.*}} fresh %{{[0-9]+}} block
tile.kernel @bounds(%x: !V {tile.readonly}, %y: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %n = tile.num_blocks %x[1] by 16 : !V
  scf.for %t = %c0 to %c2 step %c1 {
    %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<32x32xf32>) {
      %a = tile.load %x[%i, %k] : !V -> tensor<32x16xf32>
      %b = tile.load %y[%k, %j] : !V -> tensor<16x32xf32>
      %d = tile.dot %a, %b, %s {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 16>}
        : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    }
    tile.store %acc, %z[%i, %j] : tensor<32x32xf32>, !V
  }
}

// There is always a first step, though both factors may have none.
// CHECK-LABEL: tile.kernel @few
// CHECK: arith.maxsi %{{.*}}, %c1
// CHECK: stage.product {{.*}} fresh
tile.kernel @few(%x: !V {tile.readonly}, %y: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%c0, %c0] : !V -> tensor<32x40xf32>
  %b = tile.load %y[%c0, %c0] : !V -> tensor<40x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 16>}
    : tensor<32x40xf32>, tensor<40x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%c0, %c0] : tensor<32x32xf32>, !V
}

// Nothing but zeros may go, and -0 is another number.
// CHECK-LABEL: tile.kernel @ones
// CHECK: dense<-0.000000e+00>
// CHECK-NOT: fresh
tile.kernel @ones(%x: !V {tile.readonly}, %y: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<-0.0> : tensor<32x32xf32>
  %a = tile.load %x[%c0, %c0] : !V -> tensor<32x40xf32>
  %b = tile.load %y[%c0, %c0] : !V -> tensor<40x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 16>}
    : tensor<32x40xf32>, tensor<40x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%c0, %c0] : tensor<32x32xf32>, !V
}

// Several panels of the right factor are packed along its rows.
// CHECK-LABEL: tile.kernel @panels
// CHECK: stage.alloc : memref<64x64xf32
// CHECK: scf.for %[[group:.*]] = %{{.*}} step %c64
// CHECK: scf.for %{{.*}} step %c32
// CHECK: scf.for %{{.*}} step %c16
// CHECK: stage.compute [70, 96]
// CHECK: scf.for %[[column:.*]] = %{{.*}} step %c16
// CHECK: stage.product %{{.*}}, %{{.*}}[%c0, %[[column]]], %
tile.kernel @panels(%x: !tile.view<?x?xbf16> {tile.readonly}, %y: !tile.view<?x?xbf16> {tile.readonly}, %z: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x96xf32>
  %a = tile.load %x[%i, %c0] : !tile.view<?x?xbf16> -> tensor<32x70xbf16>
  %b = tile.load %y[%c0, %j] : !tile.view<?x?xbf16> -> tensor<70x96xbf16>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 64, panels = 4>}
    : tensor<32x70xbf16>, tensor<70x96xbf16>, tensor<32x96xf32>
  tile.store %d, %z[%i, %j] : tensor<32x96xf32>, !V
}

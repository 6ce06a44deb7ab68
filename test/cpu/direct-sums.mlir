// Products go to memory at once, where whole blocks lie inside of the view; else they go to storage, and are stored from there.
// REQUIRES: x86_64
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products,stage-place,stage-allocate),convert-stage-to-cpu)' | FileCheck %s
// RUN: kiln-run %s --entry=blocks --target=cpu,retile=off --grid=2,2 --arg=random:1:f32:64x16 --arg=random:2:f32:16x64 --arg=random:3:f32:64x64 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=once --target=cpu,retile=off --grid=2,2 --arg=random:1:f32:64x16 --arg=random:2:f32:16x64 --arg=random:3:f32:64x64 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=blocks --target=cpu,retile=off --grid=2,2 --arg=random:1:f32:64x16 --arg=random:2:f32:16x64 --arg=random:3:f32:61x40 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=added --target=cpu,retile=off --grid=2,2 --arg=random:1:f32:64x16 --arg=random:2:f32:16x64 --arg=random:3:f32:64x64 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=passes --target=cpu,retile=off --grid=2 --arg=random:1:f32:64x64 --arg=random:2:f32:64x32 --arg=random:3:f32:64x32 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=columns --target=cpu,retile=off --grid=2,2 --arg=random:1:f32:64x64 --arg=random:2:f32:64x64 --arg=random:3:f32:64x64 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RESULT: argument 2 {{.*}}: ok

!A = !tile.view<64x16xf32>
!B = !tile.view<16x64xf32>
!V = !tile.view<?x?xf32>

// CHECK-LABEL: func.func @blocks
// CHECK: %[[inside:.*]] = arith.andi
// CHECK: arith.select %[[inside]], %{{.*}}, %{{.*}} : !llvm.ptr
// CHECK: cpu.micro_kernel
// CHECK: %[[outside:.*]] = arith.xori %[[inside]], %true
// CHECK: scf.if %[[outside]] {
tile.kernel @blocks(%x: !A {tile.readonly}, %y: !B {tile.readonly}, %z: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !A -> tensor<32x16xf32>
  %b = tile.load %y[%c0, %j] : !B -> tensor<16x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 16>}
    : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%i, %j] : tensor<32x32xf32>, !V
}

// A loop that has one step.
// CHECK-LABEL: func.func @once
// CHECK: arith.select {{.*}} : !llvm.ptr
// CHECK: cpu.micro_kernel {{.*}} fresh %true
tile.kernel @once(%x: !A {tile.readonly}, %y: !B {tile.readonly}, %z: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %n = tile.num_blocks %x[1] by 16 : !A
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<32x32xf32>) {
    %a = tile.load %x[%i, %k] : !A -> tensor<32x16xf32>
    %b = tile.load %y[%k, %j] : !B -> tensor<16x32xf32>
    %d = tile.dot %a, %b, %s {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 16>}
      : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %acc, %z[%i, %j] : tensor<32x32xf32>, !V
}

// What is read from the view may not be overwritten before.
// CHECK-LABEL: func.func @added
// CHECK-NOT: arith.select {{.*}} : !llvm.ptr
// CHECK: return
tile.kernel @added(%x: !A {tile.readonly}, %y: !B {tile.readonly}, %z: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !A -> tensor<32x16xf32>
  %b = tile.load %y[%c0, %j] : !B -> tensor<16x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 16>}
    : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
  %old = tile.load %z[%i, %j] : !V -> tensor<32x32xf32>
  %sum = arith.addf %d, %old : tensor<32x32xf32>
  tile.store %sum, %z[%i, %j] : tensor<32x32xf32>, !V
}

// Several passes over the steps, and a last block of two rows: the tile is contiguous in the view.
// CHECK-LABEL: func.func @passes
// CHECK: arith.select {{.*}} : !llvm.ptr
// CHECK: cpu.micro_kernel {{.*}} block[2, 16]
// CHECK: cpu.micro_kernel {{.*}} block[5, 16]
tile.kernel @passes(%x: !tile.view<64x64xf32> {tile.readonly}, %y: !tile.view<64x32xf32> {tile.readonly}, %z: !tile.view<64x32xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !tile.view<64x64xf32> -> tensor<32x64xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 5, columns = 16, depth = 16>}
    : tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<32x32xf32>, !tile.view<64x32xf32>
}

// Rows of the tile lie apart in the view, where each pass would reach them anew.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: arith.select {{.*}} : !llvm.ptr
// CHECK: return
tile.kernel @columns(%x: !tile.view<64x64xf32> {tile.readonly}, %y: !tile.view<64x64xf32> {tile.readonly}, %z: !tile.view<64x64xf32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !tile.view<64x64xf32> -> tensor<32x64xf32>
  %b = tile.load %y[%c0, %j] : !tile.view<64x64xf32> -> tensor<64x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 16>}
    : tensor<32x64xf32>, tensor<64x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%i, %j] : tensor<32x32xf32>, !tile.view<64x64xf32>
}

// Rows of a left operand that a tile has all of are read where they lie in their view, at the distance that they have there. Others are
// packed into panels: those of tiles that are partly outside of the view, and of what may change.
// REQUIRES: x86_64
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products,stage-place,stage-allocate),convert-stage-to-cpu)' | FileCheck %s
// RUN: kiln-run %s --entry=rows --target=cpu,retile=off --grid=3 --arg=random:1:f32:96x80 --arg=random:2:f32:80x32 --arg=random:3:f32:96x32 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=rows --target=cpu,retile=off --grid=3 --arg=random:1:f32:85x80 --arg=random:2:f32:80x32 --arg=random:3:f32:85x32 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=inner --target=cpu,retile=off --grid=2,2 --arg=random:1:f32:2x64x96 --arg=random:2:f32:48x32 --arg=random:3:f32:2x64x32 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --entry=changed --target=cpu,retile=off --grid=3 --arg=random:1:f32:96x80 --arg=random:2:f32:80x32 --arg=random:3:f32:96x32 --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RESULT: argument 2 {{.*}}: ok

!A = !tile.view<?x80xf32>
!B = !tile.view<80x32xf32>
!V = !tile.view<?x32xf32>

// Panels of 48 steps, rows 80 elements apart. 32 rows are five blocks of six, and two rows.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[OUTSIDE:.*]] = arith.xori %[[INSIDE:[a-z0-9_]*]], %true
// CHECK-NEXT: scf.if %[[OUTSIDE]] {
// CHECK: scf.if %[[INSIDE]] {
// CHECK-DAG: cpu.micro_kernel {{.*}} block[2, 16] groups[80, 1]
// CHECK-DAG: cpu.micro_kernel {{.*}} block[6, 16] groups[80, 1]
// CHECK: } else {
// CHECK-DAG: cpu.micro_kernel {{.*}} block[2, 16] groups[64, 1]
// CHECK-DAG: cpu.micro_kernel {{.*}} block[6, 16] groups[64, 1]
tile.kernel @rows(%x: !A {tile.readonly}, %y: !B {tile.readonly}, %z: !V {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !A -> tensor<32x80xf32>
  %b = tile.load %y[%c0, %c0] : !B -> tensor<80x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 6, columns = 16, depth = 48>}
    : tensor<32x80xf32>, tensor<80x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<32x32xf32>, !V
}

// A part of the rows of one of several matrices.
// CHECK-LABEL: func.func @inner(
// CHECK: cpu.micro_kernel {{.*}} groups[96, 1]
!M = !tile.view<2x64x96xf32>
!O = !tile.view<2x64x32xf32>
!N = !tile.view<48x32xf32>
tile.kernel @inner(%x: !M {tile.readonly}, %y: !N {tile.readonly}, %z: !O {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %j, %c1] : !M -> tensor<32x48xf32>
  %b = tile.load %y[%c0, %c0] : !N -> tensor<48x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 48>}
    : tensor<32x48xf32>, tensor<48x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%i, %j, %c0] : tensor<32x32xf32>, !O
}

// The view may change: it is not marked `tile.readonly`.
// CHECK-LABEL: func.func @changed(
// CHECK-NOT: groups[80, 1]
// CHECK: return
tile.kernel @changed(%x: !A, %y: !B {tile.readonly}, %z: !V {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !A -> tensor<32x80xf32>
  %b = tile.load %y[%c0, %c0] : !B -> tensor<80x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 48>}
    : tensor<32x80xf32>, tensor<80x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<32x32xf32>, !V
}

// Rows may overlap.
// CHECK-LABEL: func.func @overlapping(
// CHECK: cpu.micro_kernel {{.*}} groups[8, 1]
!P = !tile.view<64x48xf32, strides = [8, 1]>
tile.kernel @overlapping(%x: !P {tile.readonly}, %y: !N {tile.readonly}, %z: !V {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !P -> tensor<32x48xf32>
  %b = tile.load %y[%c0, %c0] : !N -> tensor<48x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 48>}
    : tensor<32x48xf32>, tensor<48x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<32x32xf32>, !V
}

// Rows whole pages apart would have the same few places of the nearest cache.
// CHECK-LABEL: func.func @pages(
// CHECK-NOT: groups[1024, 1]
// CHECK: return
!Q = !tile.view<64x1024xf32>
tile.kernel @pages(%x: !Q {tile.readonly}, %y: !N {tile.readonly}, %z: !V {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !Q -> tensor<32x48xf32>
  %b = tile.load %y[%c0, %c0] : !N -> tensor<48x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 48>}
    : tensor<32x48xf32>, tensor<48x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<32x32xf32>, !V
}

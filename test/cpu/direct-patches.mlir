// Patches of images are read where they lie: rows of them in blocks that end with the lines of positions, steps in runs that micro-kernels
// follow. What does not come in whole blocks, or in whole runs, is packed.
// REQUIRES: x86_64
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},cpu-select-matrix-instructions,tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products,stage-place,stage-allocate),convert-stage-to-cpu)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},cpu-select-matrix-instructions,tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products,stage-place,stage-allocate),convert-stage-to-cpu,cpu-lower-micro-kernels)' | FileCheck %s --check-prefix=LOOPS
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v4},cpu-select-matrix-instructions)' | FileCheck %s --check-prefix=CHOICE

// 3 x 3 patches of lines of 14 positions with 16 channels.
!X = !tile.view<12x12x3x48xf32, strides = [224, 16, 224, 1]>
!W = !tile.view<144x32xf32>
!Y = !tile.view<144x32xf32>

// CHECK-LABEL: func.func @patches(
// CHECK-NOT: vector.store
// CHECK: cpu.micro_kernel {{.*}} block[4, 16] groups[16, 1] by @fma.f32 {cpu.runs = array<i64: 3, 224, 48, 1>}
// LOOPS-LABEL: func.func private @kiln_micro_kernel_fma_f32_4x16_f32_f32_apart16_runs3_224_48_1_fresh(
// LOOPS: scf.for
// LOOPS: scf.for
tile.kernel @patches(%x: !X {tile.readonly}, %y: !W {tile.readonly}, %z: !Y {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<48x32xf32>
  %l = tile.load %x[%i, %c0, %c0, %c0] : !X -> tensor<4x12x3x48xf32>
  %a = tile.reshape %l : tensor<4x12x3x48xf32> -> tensor<48x144xf32>
  %b = tile.load %y[%c0, %c0] : !W -> tensor<144x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 144>}
    : tensor<48x144xf32>, tensor<144x32xf32>, tensor<48x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<48x32xf32>, !Y
}

// Half of a run in each pass.
// CHECK-LABEL: func.func @parts(
// CHECK: cpu.micro_kernel {{.*}} block[6, 16] groups[16, 1] by @fma.f32 : f32
tile.kernel @parts(%x: !X {tile.readonly}, %y: !W {tile.readonly}, %z: !Y {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<48x32xf32>
  %l = tile.load %x[%i, %c0, %c0, %c0] : !X -> tensor<4x12x3x48xf32>
  %a = tile.reshape %l : tensor<4x12x3x48xf32> -> tensor<48x144xf32>
  %b = tile.load %y[%c0, %c0] : !W -> tensor<144x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 6, columns = 16, depth = 24>}
    : tensor<48x144xf32>, tensor<144x32xf32>, tensor<48x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<48x32xf32>, !Y
}

// The second group of 8 channels of 64: each element of the window is a run of its own. One line of the window is a pass.
!G = !tile.view<8x10x12x3x3x8xf32, strides = [8, 896, 64, 896, 64, 1]>
!F = !tile.view<72x16xf32>
!R = !tile.view<120x16xf32>
// CHECK-LABEL: func.func @groups(
// CHECK: cpu.micro_kernel {{.*}} block[6, 16] groups[64, 1] by @fma.f32 {cpu.runs = array<i64: 3, 64, 8, 1>}
tile.kernel @groups(%x: !G {tile.readonly}, %y: !F {tile.readonly}, %z: !R {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<120x16xf32>
  %l = tile.load %x[%c1, %c0, %c0, %c0, %c0, %c0] : !G -> tensor<10x12x3x3x8xf32>
  %a = tile.reshape %l : tensor<10x12x3x3x8xf32> -> tensor<120x72xf32>
  %b = tile.load %y[%c0, %c0] : !F -> tensor<72x16xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 6, columns = 16, depth = 24>}
    : tensor<120x72xf32>, tensor<72x16xf32>, tensor<120x16xf32>
  tile.store %d, %z[%c0, %c0] : tensor<120x16xf32>, !R
}

// Of a view with 11 lines the last tile has only 3.
!B = !tile.view<11x12x3x48xf32, strides = [224, 16, 224, 1]>
// CHECK-LABEL: func.func @beyond(
// CHECK: scf.if
// CHECK-DAG: cpu.micro_kernel {{.*}} {cpu.runs = array<i64: 3, 224, 48, 1>}
// CHECK-DAG: cpu.micro_kernel {{.*}} groups[160, 1] by @fma.f32 : f32
tile.kernel @beyond(%x: !B {tile.readonly}, %y: !W {tile.readonly}, %z: !Y {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<48x32xf32>
  %l = tile.load %x[%i, %c0, %c0, %c0] : !B -> tensor<4x12x3x48xf32>
  %a = tile.reshape %l : tensor<4x12x3x48xf32> -> tensor<48x144xf32>
  %b = tile.load %y[%c0, %c0] : !W -> tensor<144x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 4, columns = 16, depth = 144>}
    : tensor<48x144xf32>, tensor<144x32xf32>, tensor<48x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<48x32xf32>, !Y
}

// Blocks of 5 rows go from one line of 12 into the next.
// CHECK-LABEL: func.func @crossing(
// CHECK-NOT: cpu.runs
// CHECK-NOT: groups[16, 1]
// CHECK: return
tile.kernel @crossing(%x: !X {tile.readonly}, %y: !W {tile.readonly}, %z: !Y {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<48x32xf32>
  %l = tile.load %x[%i, %c0, %c0, %c0] : !X -> tensor<4x12x3x48xf32>
  %a = tile.reshape %l : tensor<4x12x3x48xf32> -> tensor<48x144xf32>
  %b = tile.load %y[%c0, %c0] : !W -> tensor<144x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 5, columns = 16, depth = 144>}
    : tensor<48x144xf32>, tensor<144x32xf32>, tensor<48x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<48x32xf32>, !Y
}

// The choice: rows that divide the 12 positions of a line, and all steps.
// CHOICE-LABEL: tile.kernel @chosen
// CHOICE: rows = 12, columns = 32, depth = 144
!T = !tile.view<144x32xf32, strides = [1, 144]>
tile.kernel @chosen(%x: !X {tile.readonly}, %y: !T {tile.readonly}, %z: !Y {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<48x32xf32>
  %l = tile.load %x[%i, %c0, %c0, %c0] : !X -> tensor<4x12x3x48xf32>
  %a = tile.reshape %l : tensor<4x12x3x48xf32> -> tensor<48x144xf32>
  %b = tile.load %y[%c0, %c0] : !T -> tensor<144x32xf32>
  %d = tile.dot %a, %b, %zero : tensor<48x144xf32>, tensor<144x32xf32>, tensor<48x32xf32>
  tile.store %d, %z[%i, %c0] : tensor<48x32xf32>, !Y
}

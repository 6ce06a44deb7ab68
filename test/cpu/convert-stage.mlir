// Regions become nests over registers, storage offsets in scratch memory, products micro-kernels.
// REQUIRES: x86_64
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},convert-stage-to-cpu)' | FileCheck %s

!V = !tile.view<?xf32>
!S = memref<64xf32, #stage.space<"l1">>
!A = memref<12x32xf32, affine_map<(r, k) -> (r floordiv 6, k, r mod 6)>, #stage.space<"l1">>
!B = memref<32x16xf32, affine_map<(k, c) -> (c floordiv 16, k, c mod 16)>, #stage.space<"l1">>
!C = memref<12x16xf32, #stage.space<"l1">>

// What is inside of `safe` runs without masks, what is behind `to` not at all.
// CHECK: llvm.mlir.global external constant @bounds_scratch(1024 : i64)
// CHECK-LABEL: func.func @bounds
// CHECK: %[[storage:.*]] = llvm.getelementptr %arg3[256]
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK: llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr
// CHECK: scf.for
// CHECK: llvm.intr.masked.load
// CHECK: scf.for
// CHECK-NOT: masked
// CHECK: llvm.store %{{.*}} : vector<8xf32>
// CHECK: scf.for
// CHECK: llvm.intr.masked.store
tile.kernel @bounds(%x: !V {tile.readonly}, %y: !V, %n: index, %m: index) {
  %i = tile.program_id : index
  %s = stage.alloc {align = 64 : i64, offset = 256 : i64} : !S
  stage.compute [64] safe [%m] {
    %t = tile.load %x[%i] : !V -> tensor<64xf32>
    stage.write %t, %s : tensor<64xf32>, !S
  }
  stage.compute [64] to [%n] safe [%n] {
    %t = stage.read %s : !S -> tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32>, !V
  }
}

// CHECK-LABEL: func.func @panels
// A panel of six rows and one of sixteen columns.
// CHECK: vector.shuffle
// CHECK: %[[steps:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: cpu.micro_kernel %{{.*}}, %{{.*}}[%c16_i64], %{{.*}}[%c16_i64] depth %{{.*}} block[6, 16] groups[1, 1] by @fma.f32 : f32, f32, f32
tile.kernel @panels(%x: !tile.view<?x?xf32> {tile.readonly}, %y: !tile.view<?x?xf32>, %k: index) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c12 = arith.constant 12 : index
  %a = stage.alloc {align = 64 : i64, offset = 0 : i64, slack = 64 : i64} : !A
  %b = stage.alloc {align = 64 : i64, offset = 4096 : i64, slack = 64 : i64} : !B
  %c = stage.alloc {align = 64 : i64, offset = 8192 : i64, slack = 64 : i64} : !C
  stage.compute [12, 16] {
    %z = arith.constant dense<0.0> : tensor<12x16xf32>
    stage.write %z, %c : tensor<12x16xf32>, !C
  }
  scf.for %r = %c0 to %c12 step %c6 {
    %end = arith.addi %r, %c6 : index
    stage.compute [12, 32] from [%r, %c0] to [%end, %k] {
      %t = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<12x32xf32>
      stage.write %t, %a[%c0, %c0] : tensor<12x32xf32>, !A
    }
  }
  stage.compute [32, 16] {
    %t = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<32x16xf32>
    stage.write %t, %b : tensor<32x16xf32>, !B
  }
  scf.for %r = %c0 to %c12 step %c6 {
    stage.product %a[%r, %c0], %b[%c0, %c0], %c[%r, %c0] depth %k block [6, 16, 32] by @fma.f32 : !A, !B, !C
  }
  stage.compute [12, 16] {
    %t = stage.read %c : !C -> tensor<12x16xf32>
    tile.store %t, %y[%c0, %c0] : tensor<12x16xf32>, !tile.view<?x?xf32>
  }
}

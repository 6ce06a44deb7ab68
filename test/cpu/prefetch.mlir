// Prefetches become instructions where, and only where, the kernel has them.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},convert-stage-to-cpu)' | FileCheck %s
// The evaluation of the kernel is that of one without them.
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(stage-allocate))' > %t

// Two rows of 16 elements that start anywhere: two lines each. Blocks count from the tile's size.
// CHECK-LABEL: func.func @box
// CHECK-COUNT-4: "llvm.intr.prefetch"{{.*}} hint = 2
// CHECK-NOT: prefetch
tile.kernel @box(%a: !tile.view<?x16xf32>, %b: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  stage.prefetch %a[%i, %c0] box [2, 16] : !tile.view<?x16xf32>
  stage.compute [16] {
    %x = tile.load %a[%i, %c0] : !tile.view<?x16xf32> -> tensor<16xf32>
    tile.store %x, %b[%i] : tensor<16xf32>, !tile.view<?xf32>
  }
}

// One line for each page.
// CHECK-LABEL: func.func @pages
// CHECK-COUNT-2: "llvm.intr.prefetch"{{.*}} hint = 3
// CHECK-NOT: prefetch
tile.kernel @pages(%b: !tile.view<?xf32>) {
  %i = tile.program_id : index
  stage.prefetch %b at [%i] box [2048] every 4096 near : !tile.view<?xf32>
  stage.compute [16] {
    %x = arith.constant dense<1.0> : tensor<16xf32>
    tile.store %x, %b[%i] : tensor<16xf32>, !tile.view<?xf32>
  }
}

// In the loop over whole vectors, beside the read.
// CHECK-LABEL: func.func @ahead
// CHECK: scf.for
// CHECK: llvm.intr.prefetch"
// CHECK: vector<8xf32>
tile.kernel @ahead(%a: !tile.view<?x512xf32>, %b: !tile.view<?x512xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  stage.compute [512] {
    %x = tile.load %a[%i, %c0] : !tile.view<?x512xf32> -> tensor<512xf32>
    stage.prefetch_ahead %x by [1, 0] near : tensor<512xf32>
    tile.store %x, %b[%i, %c0] : tensor<512xf32>, !tile.view<?x512xf32>
  }
}

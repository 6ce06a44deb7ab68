// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors that threads compute from what a loop loads: what they are computed from is copied ahead, and read in the layout that it would
// have been loaded in. Where such loads do not fit beside the factors, the ring has fewer slots rather than loads to wait for. A loop of
// two iterations copies nothing ahead but factors.
// RUN: kiln-opt %s -o %t --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands))'
// RUN: FileCheck %s < %t
// RUN: for seed in 0 1 2; do for k in computed few short; do kiln-run %s --entry=$k --target=reference,threads=nvidia:sm_90a,seed=$seed --grid=1,1 \
// RUN:   --inputs=random --check || exit 1; done; done
// RUN: kiln-opt %s -o %t.threads --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,simt-choose-bulk-copies,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,canonicalize,cse,llvm.func(simt-verify-barriers))'
// RUN: %python %source/test/gpu/mutations.py kiln-opt --least=58 < %t.threads

!A = !tile.view<60x1000xbf16>
!C = !tile.view<64x64xf32>

// CHECK-LABEL: tile.kernel @computed(
// CHECK: scf.for
// CHECK: %[[A:.*]] = stage.alloc {{.*}}memref<64x64xbf16
// CHECK-NEXT: stage.copy {{ *}}%arg0
// CHECK: stage.alloc {{.*}}memref<64x64xbf16
// CHECK: stage.copy {{ *}}%arg1
// CHECK-NOT: tile.load
// CHECK: stage.read %[[A]]
// CHECK: tile.dot
// CHECK: stage.decided = #stage.slots<3>
tile.kernel @computed(%a: !A {tile.align = 16 : i64, tile.readonly}, %b: !A {tile.align = 16 : i64, tile.readonly},
    %c: !C {tile.align = 16 : i64, tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 64 : !A
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xbf16>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %k] : !A -> tensor<64x64xbf16>
    %y = tile.load %b[%c0, %k] : !A -> tensor<64x64xbf16>
    %p = arith.mulf %x, %half : tensor<64x64xbf16>
    %q = arith.mulf %y, %half : tensor<64x64xbf16>
    %t = tile.transpose %q [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %p, %t, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %s, %c[%c0, %c0] : tensor<64x64xf32>, !C
}

!W = !tile.view<128x2048xbf16>
!Z = !tile.view<256x2048xf32>
!D = !tile.view<128x128xf32>

// Two slots of both factors and of the numbers, rather than three of factors.
// CHECK-LABEL: tile.kernel @few(
// CHECK: scf.for
// CHECK: stage.copy {{ *}}%arg0
// CHECK: stage.copy {{ *}}%arg2
// CHECK-NOT: tile.load
// CHECK: stage.decided = #stage.slots<2>
tile.kernel @few(%a: !W {tile.align = 16 : i64, tile.readonly}, %b: !W {tile.align = 16 : i64, tile.readonly}, %z: !Z {tile.align = 16 : i64, tile.readonly},
    %c: !D {tile.align = 16 : i64, tile.noalias}, %e: !D {tile.align = 16 : i64, tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %a[1] by 64 : !W
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %s:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %none) -> (tensor<128x128xf32>, tensor<128x64xf32>) {
    %x = tile.load %a[%c0, %k] : !W -> tensor<128x64xbf16>
    %y = tile.load %b[%c0, %k] : !W -> tensor<128x64xbf16>
    %t = tile.transpose %y [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
    %d = tile.dot %x, %t, %acc : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    %w = tile.load %z[%c0, %k] : !Z -> tensor<128x64xf32>
    %u = tile.load %z[%c1, %k] : !Z -> tensor<128x64xf32>
    %m = arith.mulf %u, %w : tensor<128x64xf32>
    %v = arith.addf %sum, %m : tensor<128x64xf32>
    scf.yield %d, %v : tensor<128x128xf32>, tensor<128x64xf32>
  }
  tile.store %s#0, %c[%c0, %c0] : tensor<128x128xf32>, !D
  tile.store %s#1, %e[%c0, %c0] : tensor<128x64xf32>, !D
}

// CHECK-LABEL: tile.kernel @short(
// CHECK: scf.for
// CHECK: tile.load %arg0
// CHECK-NOT: stage.copy {{ *}}%arg0
// CHECK: tile.dot
tile.kernel @short(%a: !tile.view<64x128xbf16> {tile.align = 16 : i64, tile.readonly}, %b: !tile.view<64x128xbf16> {tile.align = 16 : i64, tile.readonly},
    %c: !C {tile.align = 16 : i64, tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x128xbf16> -> tensor<64x64xbf16>
    %y = tile.load %b[%c0, %k] : !tile.view<64x128xbf16> -> tensor<64x64xbf16>
    %p = arith.mulf %x, %x : tensor<64x64xbf16>
    %q = arith.mulf %y, %y : tensor<64x64xbf16>
    %t = tile.transpose %q [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
    %d = tile.dot %p, %t, %acc : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %s, %c[%c0, %c0] : tensor<64x64xf32>, !C
}

// RUN: kiln-opt %s -split-input-file -stage-allocate="align=64 report" -verify-diagnostics | FileCheck %s
// Places by lifetime.

!S = memref<256xf32, #stage.space<"l1">>
!T = memref<64xf32, #stage.space<"l1">>

// The third lies where the first was; the second lives all along.
// CHECK-LABEL: tile.kernel @chain
// CHECK: stage.alloc {offset = 0 : i64}
// CHECK: stage.alloc {offset = 1024 : i64}
// CHECK: stage.alloc {offset = 0 : i64}
// expected-remark@+1 {{space 'l1': 2048 bytes for 3 storages of 3072 bytes}}
tile.kernel @chain(%x: !tile.view<?xf32>, %i: index) {
  %a = stage.alloc : !S
  %b = stage.alloc : !S
  %c = stage.alloc : !S
  stage.copy %x[%i] to %a : !tile.view<?xf32>, !S
  stage.copy %a to %b : !S, !S
  stage.copy %b to %c : !S, !S
  stage.copy %c to %b : !S, !S
  stage.copy %b to %x[%i] : !S, !tile.view<?xf32>
}

// -----

// A token makes a use last; a loop that storage outlives is one use.
!S = memref<256xf32, #stage.space<"l1">>
// CHECK-LABEL: tile.kernel @pending
// CHECK: stage.alloc {offset = 0 : i64}
// CHECK: stage.alloc {offset = 1024 : i64}
// CHECK: stage.alloc {offset = 2048 : i64}
// expected-remark@+1 {{space 'l1': 3072 bytes}}
tile.kernel @pending(%x: !tile.view<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = stage.alloc : !S
  %b = stage.alloc : !S
  %c = stage.alloc : !S
  %t = stage.copy async %x[%c0] to %a : !tile.view<?xf32>, !S
  stage.copy %x[%c1] to %b : !tile.view<?xf32>, !S
  scf.for %k = %c0 to %n step %c1 {
    stage.copy %b to %x[%k] : !S, !tile.view<?xf32>
    stage.copy %x[%k] to %c : !tile.view<?xf32>, !S
  }
  stage.wait %t
}

// -----

// Offsets that are there stay; slots, panels and slack count; spaces do not meet.
!P = memref<20x20xf32, affine_map<(r, c) -> (r floordiv 8, c, r mod 8)>, #stage.space<"l1">>
!T = memref<64xf32, #stage.space<"l1">>
!U = memref<64xf32, #stage.space<"l2">>
!R = !stage.ring<3 x (!T)>
// CHECK-LABEL: tile.kernel @kinds
// CHECK: stage.alloc {offset = 64 : i64, slack = 60 : i64}
// CHECK: stage.alloc {offset = 384 : i64}
// CHECK: stage.ring {offset = 2304 : i64}
// CHECK: stage.alloc {offset = 0 : i64} : memref<64xf32, #stage.space<"l2">>
// expected-remark@+2 {{space 'l1': 3072 bytes for 3 storages of 3004 bytes}}
// expected-remark@+1 {{space 'l2': 256 bytes}}
tile.kernel @kinds(%x: !tile.view<?xf32>, %y: !tile.view<?x?xf32>, %i: index) {
  %a = stage.alloc {offset = 64 : i64, slack = 60 : i64} : !T
  %p = stage.alloc : !P
  %r = stage.ring : !R
  %u = stage.alloc : !U
  stage.copy %x[%i] to %a : !tile.view<?xf32>, !T
  stage.copy %x[%i] to %u : !tile.view<?xf32>, !U
  stage.produce %r -> (%s) : !R {
    stage.copy %a to %s : !T, !T
    stage.commit
  }
  stage.copy %y[%i, %i] to %p : !tile.view<?x?xf32>, !P
  %s = stage.consume %r : !R
  stage.copy %s to %a : !T, !T
  stage.copy %a to %x[%i] : !T, !tile.view<?xf32>
  stage.copy %u to %x[%i] : !U, !tile.view<?xf32>
  stage.copy %p to %y[%i, %i] : !P, !tile.view<?x?xf32>
  stage.release %r : !R
}

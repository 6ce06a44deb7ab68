// RUN: kiln-opt %s -split-input-file -verify-diagnostics -convert-stage-to-cpu

tile.kernel @no_place() {
  // expected-error @below {{expected an offset, which 'stage-allocate' gives}}
  %s = stage.alloc : memref<4xf32>
}

// -----

tile.kernel @copy(%x: !tile.view<?xf32>, %i: index) {
  %s = stage.alloc {offset = 0 : i64} : memref<4xf32>
  // expected-error @below {{stage.copy}}
  stage.copy %x[%i] to %s : !tile.view<?xf32>, memref<4xf32>
}

// -----

!A = memref<12x32xf32, affine_map<(r, k) -> (r floordiv 6, k, r mod 6)>>
!B = memref<32x20xf32>
tile.kernel @no_room() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = stage.alloc {offset = 0 : i64} : !A
  %b = stage.alloc {offset = 4096 : i64} : !B
  %c = stage.alloc {offset = 8192 : i64} : memref<12x20xf32>
  // expected-error @below {{expected an accumulator with room for whole blocks, which 'stage-place' gives}}
  stage.product %a[%c0, %c0], %b[%c0, %c0], %c[%c0, %c0] columns %c4 block [6, 16, 32] : !A, !B, memref<12x20xf32>
}

// -----

tile.kernel @two(%y: !tile.view<?xf32>, %i: index) {
  stage.compute [4] {
    %t = arith.constant dense<0.0> : tensor<4xf32>
    tile.store %t, %y[%i] : tensor<4xf32>, !tile.view<?xf32>
    // expected-error @below {{a second operation with a nest of its own in a region}}
    tile.store %t, %y[%i] : tensor<4xf32>, !tile.view<?xf32>
  }
}

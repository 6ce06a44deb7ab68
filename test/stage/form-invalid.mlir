// RUN: kiln-opt %s -split-input-file -verify-diagnostics -verify-stage-form

tile.kernel @outside() {
  // expected-error@+1 {{expected no tile without encoding outside of 'stage.compute', found 'tensor<4xf32>'}}
  %t = arith.constant dense<1.0> : tensor<4xf32>
}

// -----

tile.kernel @dot(%i: index) {
  stage.compute [4, 4] {
    %t = arith.constant dense<1.0> : tensor<4x4xf32>
    // expected-error@+1 {{expected 'stage.product' at the stage level}}
    %d = tile.dot %t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
}

// -----

tile.kernel @inside(%x: !tile.view<?xf32>, %i: index) {
  %s = stage.alloc : memref<4xf32>
  stage.compute [4] {
    // expected-error@+1 {{expected pure operations, reads, writes and accesses in a region}}
    stage.copy %x[%i] to %s : !tile.view<?xf32>, memref<4xf32>
  }
}

// -----

!F = tensor<8x8xf32, {a = 1}>
tile.kernel @futures(%c: i1) {
  %s = stage.alloc : memref<8x8xf32>
  %z = arith.constant dense<0.0> : !F
  // expected-error@+1 {{expected a future to be waited for once on every path}}
  %f = stage.product async %s, %s, %z : memref<8x8xf32>, memref<8x8xf32>, !F
  scf.if %c {
    %w = stage.wait %f : !stage.future<!F>
  }
  // Both paths wait for this one.
  %g = stage.product async %s, %s, %z : memref<8x8xf32>, memref<8x8xf32>, !F
  scf.if %c {
    %w = stage.wait %g : !stage.future<!F>
  } else {
    %w = stage.wait %g : !stage.future<!F>
  }
}

// -----

tile.kernel @addresses(%i: index) {
  %s = stage.alloc : memref<8x8xf32, #stage.space<"s", permute = {swizzle = 128}>>
  // expected-error@+1 {{expected storage that is strided and not permuted}}
  %t = memref.subview %s[0, 0] [4, 8] [1, 1] : memref<8x8xf32, #stage.space<"s", permute = {swizzle = 128}>> to memref<4x8xf32, strided<[8, 1]>, #stage.space<"s", permute = {swizzle = 128}>>
}

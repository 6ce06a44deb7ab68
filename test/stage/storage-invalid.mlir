// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @alloc_c1() {
  // expected-error@+1 {{expected a space #stage.space<...>, found 3 : i32}}
  %a = stage.alloc : memref<4xf32, 3 : i32>
}

// -----

tile.kernel @alloc_c2() {
  // expected-error@+1 {{expected 'align' to be a power of two, found 48}}
  %a = stage.alloc {align = 48 : i64} : memref<4xf32>
}

// -----

tile.kernel @alloc_c3() {
  // expected-error@+1 {{expected 'offset' to be a multiple of 64 that is not negative, found 32}}
  %a = stage.alloc {align = 64 : i64, offset = 32 : i64} : memref<4xf32>
}

// -----

tile.kernel @alloc_c3() {
  // expected-error@+1 {{expected 'slack' of at least 0, found -1}}
  %a = stage.alloc {slack = -1 : i64} : memref<4xf32>
}

// -----

tile.kernel @alloc_c4() {
  // expected-error@+1 {{unsupported: layout of 'memref<4xf32, affine_map<(d0) -> (d0 - 1)>>' has negative places}}
  %a = stage.alloc : memref<4xf32, affine_map<(d0) -> (d0 - 1)>>
}

// -----

tile.kernel @read_c1(%a: index) {
  %s = stage.alloc : memref<4xf32>
  stage.compute [4] {
    // expected-error@+1 {{expected storage and tile of one element type, found 'f32' and 'f16'}}
    %t = stage.read %s : memref<4xf32> -> tensor<4xf16>
  }
}

// -----

tile.kernel @read_c1(%a: index) {
  %s = stage.alloc : memref<4x1xf32>
  stage.compute [4] {
    // expected-error@+1 {{expected storage and tile of one rank, found 2 and 1}}
    %t = stage.read %s : memref<4x1xf32> -> tensor<4xf32>
  }
}

// -----

tile.kernel @read_c2(%a: index) {
  %s = stage.alloc : memref<8xf32>
  stage.compute [4] {
    // expected-error@+1 {{expected a tile of the storage's shape without an origin}}
    %t = stage.read %s : memref<8xf32> -> tensor<4xf32>
  }
}

// -----

tile.kernel @write_c2(%a: index) {
  %s = stage.alloc : memref<4xf32>
  stage.compute [8] {
    %t = arith.constant dense<1.0> : tensor<8xf32>
    // expected-error@+1 {{expected a tile that the storage has room for}}
    stage.write %t, %s[%a] : tensor<8xf32>, memref<4xf32>
  }
}

// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @dot_c1(%x: f32) {
  %a = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected operands of rank 2, or all of rank 3, found ranks 1, 1 and 1}}
  %d = tile.dot %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

tile.kernel @dot_c3(%x: f32) {
  %a = tile.splat %x : tensor<4x8xf32>
  // expected-error@+1 {{expected rhs to have 8 rows, found 4}}
  %d = tile.dot %a, %a, %a : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

tile.kernel @dot_c5(%x: f8E5M2) {
  %a = tile.splat %x : tensor<4x4xf8E5M2>
  // expected-error@+1 {{expected an accumulator of f16, bf16, f32 or f64, found 'f8E5M2'}}
  %d = tile.dot %a, %a, %a : tensor<4x4xf8E5M2>, tensor<4x4xf8E5M2>, tensor<4x4xf8E5M2>
}

// -----

tile.kernel @dot_c5_width(%x: bf16, %y: f32) {
  %a = tile.splat %x : tensor<4x4xbf16>
  %b = tile.splat %y : tensor<4x4xf32>
  // expected-error@+1 {{expected an accumulator at least as wide as 'f32', found 'bf16'}}
  %d = tile.dot %a, %b, %a : tensor<4x4xbf16>, tensor<4x4xf32>, tensor<4x4xbf16>
}

// -----

tile.kernel @dot_c2(%x: f32) {
  %a = tile.splat %x : tensor<2x4x4xf32>
  %b = tile.splat %x : tensor<3x4x4xf32>
  // expected-error@+1 {{expected equal batch sizes, found 2, 3 and 2}}
  %d = tile.dot %a, %b, %a : tensor<2x4x4xf32>, tensor<3x4x4xf32>, tensor<2x4x4xf32>
}

// -----

tile.kernel @dot_c4(%x: f32, %n: i32) {
  %a = tile.splat %x : tensor<4x4xf32>
  %b = tile.splat %n : tensor<4x4xi32>
  // expected-error@+1 {{expected two operands of floats or two of integers, found 'f32' and 'i32'}}
  %d = tile.dot %a, %b, %a : tensor<4x4xf32>, tensor<4x4xi32>, tensor<4x4xf32>
}

// -----

tile.kernel @dot_c6(%x: f32, %y: f16) {
  %a = tile.splat %x : tensor<4x4xf32>
  %b = tile.splat %y : tensor<4x4xf16>
  // expected-error@+1 {{expected f32 operands with precision 'tf32', found 'f32' and 'f16'}}
  %d = tile.dot %a, %b, %a precision tf32 : tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf32>
}

// -----

tile.kernel @dot_c7(%x: f32) {
  %a = tile.splat %x : tensor<4x4xf32>
  // expected-error@+1 {{expected integer operands with 'lhs_unsigned' or 'rhs_unsigned', found 'f32'}}
  %d = tile.dot %a, %a, %a lhs_unsigned : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

tile.kernel @dot_c8(%x: i4, %n: i32) {
  %a = tile.splat %x : tensor<4x4xi4>
  %c = tile.splat %n : tensor<4x4xi32>
  // expected-error@+1 {{expected operands of i8, i16 or i32, found 'i4'}}
  %d = tile.dot %a, %a, %c : tensor<4x4xi4>, tensor<4x4xi4>, tensor<4x4xi32>
}

// -----

tile.kernel @dot_c10(%n: i32) {
  %a = tile.splat %n : tensor<4x4xi32>
  // expected-error@+1 {{expected f32 operands with precision 'tf32', found 'i32'}}
  %d = tile.dot %a, %a, %a precision tf32 : tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>
}

// -----

tile.kernel @dot_c11(%x: f8E5M2, %y: f32) {
  %a = tile.splat %x : tensor<4x4xf8E5M2>
  %c = tile.splat %y : tensor<4x4xf32>
  // expected-error@+1 {{expected 'max_imprecise_acc' of at least 0, found -1}}
  %d = tile.dot %a, %a, %c {max_imprecise_acc = -1 : i64} : tensor<4x4xf8E5M2>, tensor<4x4xf8E5M2>, tensor<4x4xf32>
}

// -----

tile.kernel @dot_c9(%x: i8) {
  %a = tile.splat %x : tensor<4x4xi8>
  // expected-error@+1 {{expected an accumulator of i32 or i64, found 'i8'}}
  %d = tile.dot %a, %a, %a : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xi8>
}

// -----

tile.kernel @reduce_c2(%x: f32) {
  %a = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected an axis in [0, 1), found 1}}
  %d = tile.reduce %a axis 1 : tensor<4xf32> -> tensor<f32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
}

// -----

tile.kernel @reduce_c4(%x: f32) {
  %a = tile.splat %x : tensor<4x5xf32>
  // expected-error@+1 {{expected a result of type 'tensor<5xf32>', found 'tensor<4xf32>'}}
  %d = tile.reduce %a axis 0 : tensor<4x5xf32> -> tensor<4xf32> {
  ^bb0(%p: f32, %q: f32):
    tile.yield %p : f32
  }
}

// -----

tile.kernel @reduce_c5(%x: f32) {
  %a = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected a region with 2 arguments, found 1}}
  %d = tile.reduce %a axis 0 : tensor<4xf32> -> tensor<f32> {
  ^bb0(%p: f32):
    tile.yield %p : f32
  }
}

// -----

tile.kernel @reduce_c6(%x: f32) {
  %a = tile.splat %x : tensor<4xf32>
  %d = tile.reduce %a axis 0 : tensor<4xf32> -> tensor<f32> {
  ^bb0(%p: f32, %q: f32):
    // expected-error@+1 {{expected 1 values in a reduction, found 0}}
    tile.yield
  }
}

// -----

tile.kernel @transpose_c2(%x: f32) {
  %a = tile.splat %x : tensor<4x4xf32>
  // expected-error@+1 {{expected a permutation of 2 dimensions, found [0, 7]}}
  %d = tile.transpose %a [0, 7] : tensor<4x4xf32> -> tensor<4x4xf32>
}

// -----

tile.kernel @broadcast_c2(%x: f32) {
  %a = tile.splat %x : tensor<2xf32>
  // expected-error@+1 {{expected only dimensions of size 1 to change, found 'tensor<2xf32>' to 'tensor<4xf32>'}}
  %d = tile.broadcast %a : tensor<2xf32> -> tensor<4xf32>
}

// -----

tile.kernel @cat_c5(%x: f32) {
  %a = tile.splat %x : tensor<2xf32>
  // expected-error@+1 {{expected size 4 along axis 0, found 'tensor<5xf32>'}}
  %d = tile.cat %a, %a axis 0 : tensor<2xf32>, tensor<2xf32> -> tensor<5xf32>
}

// -----

tile.kernel @extract_c3(%x: f32, %i: index) {
  %a = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected sizes that divide those of 'tensor<4xf32>', found 'tensor<3xf32>'}}
  %d = tile.extract %a[%i] : tensor<4xf32> -> tensor<3xf32>
}

// -----

tile.kernel @iota_c1() {
  // expected-error@+1 {{expected a dimension in [0, 1), found 1}}
  %d = tile.iota 1 : tensor<3xi32>
}

// -----

tile.kernel @call_extern_operands(%x: f32) {
  // expected-error@+1 {{expected a pure function 'hypot' (f32 or f64, f32 or f64) -> f32 or f64, found '(f32) -> f32'}}
  %y = tile.call_extern "hypot" from "" pure (%x) : (f32) -> f32
}

// -----

tile.kernel @call_extern_types(%x: f32, %n: i64) {
  // expected-error@+1 {{expected a pure function 'scalbn' (f32 or f64, i32) -> f32 or f64, found '(f32, i64) -> f32'}}
  %y = tile.call_extern "scalbn" from "" pure (%x, %n) : (f32, i64) -> f32
}

// -----

tile.kernel @call_extern_one_type(%x: f32, %y: f64) {
  // expected-error@+1 {{expected a pure function 'hypot' (f32 or f64, f32 or f64) -> f32 or f64, found '(f32, f64) -> f64'}}
  %z = tile.call_extern "hypot" from "" pure (%x, %y) : (f32, f64) -> f64
}

// -----

tile.kernel @call_extern_pure(%x: f32) {
  // expected-error@+1 {{expected a pure function 'j0' (f32 or f64) -> f32 or f64, found one that is not pure, '(f32) -> f32'}}
  %y = tile.call_extern "j0" from "" (%x) : (f32) -> f32
}

// -----

tile.kernel @expand_dims_c2(%x: f32) {
  %a = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected an axis in [0, 2), found 2}}
  %b = tile.expand_dims %a axis 2 : tensor<4xf32> -> tensor<4x1xf32>
}

// -----

tile.kernel @reshape_c2(%x: f32) {
  %a = tile.splat %x : tensor<4xf32>
  // expected-error@+1 {{expected 4 elements, found 6}}
  %b = tile.reshape %a : tensor<4xf32> -> tensor<2x3xf32>
}

// RUN: kiln-opt %s -split-input-file -verify-diagnostics

tile.kernel @ptr_add_c1(%p: !tile.ptr<f32>, %n: i32) {
  %o = tile.splat %n : tensor<4xi32>
  // expected-error@+1 {{expected one shape, found '!tile.ptr<f32>' and 'tensor<4xi32>'}}
  %q = tile.ptr_add %p, %o : !tile.ptr<f32>, tensor<4xi32>
}

// -----

tile.kernel @int_to_ptr_c1(%n: i64) {
  // expected-error@+1 {{expected one shape, found 'i64' and 'tensor<4x!tile.ptr<f32>>'}}
  %q = tile.int_to_ptr %n : i64 -> tensor<4x!tile.ptr<f32>>
}

// -----

tile.kernel @ptr_to_int_c1(%p: !tile.ptr<f32>) {
  %ps = tile.splat %p : tensor<4x!tile.ptr<f32>>
  // expected-error@+1 {{expected one shape, found 'tensor<4x!tile.ptr<f32>>' and 'tensor<5xi64>'}}
  %q = tile.ptr_to_int %ps : tensor<4x!tile.ptr<f32>> -> tensor<5xi64>
}

// -----

tile.kernel @ptr_cast_c1(%p: !tile.ptr<f32>) {
  // expected-error@+1 {{expected one shape, found '!tile.ptr<f32>' and 'tensor<1x!tile.ptr<i32>>'}}
  %q = tile.ptr_cast %p : !tile.ptr<f32> -> tensor<1x!tile.ptr<i32>>
}

// -----

tile.kernel @load_ptr_c1(%p: !tile.ptr<f32>) {
  // expected-error@+1 {{expected a result of type 'f32', found 'i32'}}
  %x = tile.load_ptr %p : !tile.ptr<f32> -> i32
}

// -----

tile.kernel @load_ptr_c3(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error@+1 {{expected a mask beside the other value}}
  %y = tile.load_ptr %p other %x : !tile.ptr<f32> -> f32
}

// -----

tile.kernel @store_ptr_c1(%p: !tile.ptr<f32>, %x: f64) {
  // expected-error@+1 {{expected a value of type 'f32', found 'f64'}}
  tile.store_ptr %p, %x : !tile.ptr<f32>, f64
}

// -----

tile.kernel @atomic_rmw_c1(%p: !tile.ptr<f32>, %x: f64) {
  // expected-error@+1 {{expected values of type 'f32', found 'f64'}}
  %y = tile.atomic_rmw fadd relaxed device %p, %x : !tile.ptr<f32>, f64
}

// -----

tile.kernel @atomic_rmw_c3(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error@+1 {{expected an integer type for this kind, found 'f32'}}
  %y = tile.atomic_rmw xor relaxed device %p, %x : !tile.ptr<f32>, f32
}

// -----

tile.kernel @atomic_rmw_kind(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error@+1 {{unknown atomic kind 'twice'}}
  %y = tile.atomic_rmw twice relaxed device %p, %x : !tile.ptr<f32>, f32
}

// -----

tile.kernel @atomic_cas_c1(%p: !tile.ptr<f32>, %x: i32) {
  // expected-error@+1 {{expected values of type 'f32', found 'i32'}}
  %y = tile.atomic_cas relaxed device %p, %x, %x : !tile.ptr<f32>, i32
}

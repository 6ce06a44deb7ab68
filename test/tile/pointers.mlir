// Pointers and atomic accesses print as they are read.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @casts
tile.kernel @casts(%p: !tile.ptr<i1>, %a: i64) {
  // CHECK: tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<f32>
  %q = tile.int_to_ptr %a : i64 -> !tile.ptr<f32>
  // CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<f32> -> i64
  %b = tile.ptr_to_int %q : !tile.ptr<f32> -> i64
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<i1> -> !tile.ptr<i8>
  %r = tile.ptr_cast %p : !tile.ptr<i1> -> !tile.ptr<i8>
  // CHECK: tile.ptr_add %{{.*}}, %{{.*}} : !tile.ptr<i8>, i64
  %s = tile.ptr_add %r, %b : !tile.ptr<i8>, i64
  %x = tile.load_ptr %s : !tile.ptr<i8> -> i8
  tile.store_ptr %r, %x : !tile.ptr<i8>, i8
}

// CHECK-LABEL: tile.kernel @atomics
tile.kernel @atomics(%p: !tile.ptr<f32>, %n: !tile.ptr<i32>, %x: f32, %i: i32, %on: i1) {
  %ps = tile.splat %p : tensor<4x!tile.ptr<f32>>
  %xs = tile.splat %x : tensor<4xf32>
  %m = tile.splat %on : tensor<4xi1>
  // CHECK: tile.atomic_rmw fadd relaxed device %{{.*}}, %{{.*}} mask %{{.*}} : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  %old = tile.atomic_rmw fadd relaxed device %ps, %xs mask %m : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  // CHECK: tile.atomic_rmw umax acq_rel system %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32
  %was = tile.atomic_rmw umax acq_rel system %n, %i : !tile.ptr<i32>, i32
  // CHECK: tile.atomic_cas acquire instance %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32
  %found = tile.atomic_cas acquire instance %n, %was, %i : !tile.ptr<i32>, i32
}

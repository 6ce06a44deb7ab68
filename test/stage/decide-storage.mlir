// What is kept and what is computed again is decided before code is generated, and can be edited.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-cost=1000 tree-limit=1000}))' | FileCheck %s --check-prefix=DEAR

// Cheap work is done where it is used; the exponential, which two reductions and a store need, is stored by the
// first of them on its way.
// CHECK-LABEL: tile.kernel @softmax
// CHECK: tile.load {{.*}} {stage.decided = #stage.home<recompute>}
// CHECK: arith.subf {{.*}} {stage.decided = #stage.home<recompute>}
// CHECK: math.exp {{.*}} {stage.decided = #stage.home<fuse>}
// CHECK: arith.divf {{.*}} {stage.decided = #stage.home<recompute>}
// DEAR-LABEL: tile.kernel @softmax
// DEAR-NOT: stage.home<keep>
// DEAR-NOT: stage.home<fuse>
tile.kernel @softmax(%x: !tile.view<?x1024xf32> {tile.readonly}, %y: !tile.view<?x1024xf32>) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%i, %c0] : !tile.view<?x1024xf32> -> tensor<1x1024xf32>
  %max = tile.reduce %a axis 1 : tensor<1x1024xf32> -> tensor<1xf32> {
  ^bb0(%p: f32, %q: f32):
    %m = arith.maximumf %p, %q : f32
    tile.yield %m : f32
  }
  %m1 = tile.expand_dims %max axis 1 : tensor<1xf32> -> tensor<1x1xf32>
  %mb = tile.broadcast %m1 : tensor<1x1xf32> -> tensor<1x1024xf32>
  %d = arith.subf %a, %mb : tensor<1x1024xf32>
  %e = math.exp %d : tensor<1x1024xf32>
  %sum = tile.reduce %e axis 1 : tensor<1x1024xf32> -> tensor<1xf32> {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  %s1 = tile.expand_dims %sum axis 1 : tensor<1xf32> -> tensor<1x1xf32>
  %sb = tile.broadcast %s1 : tensor<1x1xf32> -> tensor<1x1024xf32>
  %r = arith.divf %e, %sb : tensor<1x1024xf32>
  tile.store %r, %y[%i, %c0] : tensor<1x1024xf32>, !tile.view<?x1024xf32>
}

// A read that a store of the same memory comes between is kept; one of other memory is not.
// DEAR-LABEL: tile.kernel @swap
// CHECK-LABEL: tile.kernel @swap
// CHECK: tile.load %arg0{{.*}} {stage.decided = #stage.home<keep>}
// CHECK: tile.load %arg1{{.*}} {stage.decided = #stage.home<recompute>}
tile.kernel @swap(%x: !tile.view<?xf32>, %y: !tile.view<?xf32> {tile.noalias}) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %b = tile.load %y[%i] : !tile.view<?xf32> -> tensor<64xf32>
  tile.store %b, %x[%i] : tensor<64xf32>, !tile.view<?xf32>
  tile.store %a, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}

// A product takes the memory of the tile that its loop carries.
// CHECK-LABEL: tile.kernel @product
// CHECK: tile.dot {{.*}} {stage.decided = #stage.home<in_place>}
tile.kernel @product(%a: !tile.view<?x?xf32> {tile.readonly}, %b: !tile.view<?x?xf32> {tile.readonly}, %c: !tile.view<?x?xf32>) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %n = tile.num_blocks %a[1] by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<32x32xf32>) {
    %x = tile.load %a[%i, %k] : !tile.view<?x?xf32> -> tensor<32x16xf32>
    %y = tile.load %b[%k, %j] : !tile.view<?x?xf32> -> tensor<16x32xf32>
    %d = tile.dot %x, %y, %s : tensor<32x16xf32>, tensor<16x32xf32>, tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  tile.store %acc, %c[%i, %j] : tensor<32x32xf32>, !tile.view<?x?xf32>
}

// What a product packs, and what shows its result, is found in another shape; other reshapes are kept.
// CHECK-LABEL: tile.kernel @patches
// CHECK: tile.reshape {{.*}} {stage.decided = #stage.home<recompute>} : tensor<4x3x8xf32>
// CHECK: tile.reshape {{.*}} {stage.decided = #stage.home<recompute>} : tensor<16x24xf32>
// CHECK: tile.reshape %{{[^{]*}} : tensor<3x8xf32>
tile.kernel @patches(%w: !tile.view<16x4xf32> {tile.readonly}, %x: !tile.view<4x3x8xf32> {tile.readonly}, %r: !tile.view<16x3x8xf32> {tile.noalias}, %s: !tile.view<24xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x24xf32>
  %a = tile.load %w[%c0, %c0] : !tile.view<16x4xf32> -> tensor<16x4xf32>
  %y = tile.load %x[%c0, %c0, %c0] : !tile.view<4x3x8xf32> -> tensor<4x3x8xf32>
  %b = tile.reshape %y : tensor<4x3x8xf32> -> tensor<4x24xf32>
  %d = tile.dot %a, %b, %zero : tensor<16x4xf32>, tensor<4x24xf32>, tensor<16x24xf32>
  %e = tile.reshape %d : tensor<16x24xf32> -> tensor<16x3x8xf32>
  tile.store %e, %r[%c0, %c0, %c0] : tensor<16x3x8xf32>, !tile.view<16x3x8xf32>
  %z = tile.load %x[%c0, %c0, %c0] : !tile.view<4x3x8xf32> -> tensor<3x8xf32>
  %f = tile.reshape %z : tensor<3x8xf32> -> tensor<24xf32>
  tile.store %f, %s[%c0] : tensor<24xf32>, !tile.view<24xf32>
}

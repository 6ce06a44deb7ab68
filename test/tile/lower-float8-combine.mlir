// Arithmetic in memory is the code generator's, which is told what the bytes stand for.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-lower-float8{combine=true}))' | FileCheck %s

// CHECK-LABEL: tile.kernel @combine
tile.kernel @combine(%x: !tile.view<?xf8E4M3FN>, %y: !tile.view<?xf8E4M3FN>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf8E4M3FN> -> tensor<4xf8E4M3FN>
  // CHECK: tile.store %{{.*}} combine add {tile.facts = {combined_as = f8E4M3FN}} : tensor<4xi8>, !tile.view<?xi8>
  tile.store %a, %y[%i] combine add : tensor<4xf8E4M3FN>, !tile.view<?xf8E4M3FN>
  // CHECK: tile.store
  // CHECK-NOT: combined_as
  tile.store %a, %y[%i] : tensor<4xf8E4M3FN>, !tile.view<?xf8E4M3FN>
}

// CHECK-LABEL: tile.kernel @atomic
tile.kernel @atomic(%p: !tile.ptr<f8E5M2>, %v: f8E5M2) {
  // CHECK: tile.atomic_rmw add relaxed device {{.*}}combined_as = f8E5M2
  %0 = tile.atomic_rmw fadd relaxed device %p, %v : !tile.ptr<f8E5M2>, f8E5M2
  // CHECK: tile.atomic_rmw max relaxed device {{.*}}combined_as = f8E5M2
  %1 = tile.atomic_rmw max relaxed device %p, %v : !tile.ptr<f8E5M2>, f8E5M2
  // CHECK: tile.atomic_rmw exchange
  // CHECK-NOT: combined_as
  %2 = tile.atomic_rmw exchange relaxed device %p, %v : !tile.ptr<f8E5M2>, f8E5M2
}

// Moves become copies: what a region only moves, and what else it loads and stores. Accesses that copies do not know stay.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies),verify-stage-form)' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies))' -o /dev/null
!V = !tile.view<?x?xf32>

// CHECK-LABEL: tile.kernel @moved
// CHECK: %[[x:.*]] = stage.alloc : memref<16x32xf32>
// CHECK-NEXT: stage.copy %arg0[%{{.*}}, %{{.*}}] to %[[x]]
// CHECK-NOT: stage.compute
// CHECK: stage.copy %[[x]] to %arg1[%{{.*}}, %{{.*}}]
tile.kernel @moved(%a: !V {tile.readonly}, %b: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %x = tile.load %a[%i, %j] : !V -> tensor<16x32xf32>
  tile.store %x, %b[%i, %j] : tensor<16x32xf32>, !V
}

// Blocks of one dimension and elements of the other are elements of both; what is padded with stays.
// CHECK-LABEL: tile.kernel @computed
// CHECK: stage.copy %arg0 at[%{{.*}}, %{{.*}}] pad %{{.*}} : f32 to %[[y:.*]] :
// CHECK: %[[out:.*]] = stage.alloc : memref<32xf32>
// CHECK: stage.compute [32] {
// CHECK-NEXT: %[[read:.*]] = stage.read %[[y]]
// CHECK-NEXT: %[[exp:.*]] = math.exp %[[read]]
// CHECK-NEXT: stage.write %[[exp]], %[[out]]
// CHECK: }
// CHECK-NEXT: stage.copy %[[out]] to %arg1[%{{.*}}, %{{.*}}]
tile.kernel @computed(%a: !V {tile.readonly}, %b: !V {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %pad = arith.constant 2.0 : f32
  %y = tile.load %a at [%i, %c0] pad %pad : f32 : !V -> tensor<32xf32>
  %e = math.exp %y : tensor<32xf32>
  tile.store %e, %b[%i, %c0] : tensor<32xf32>, !V
}

// CHECK-LABEL: tile.kernel @stays
// CHECK: tile.load %arg0 at {{.*}} step [1, 2]
// CHECK: tile.store {{.*}} combine add
tile.kernel @stays(%a: !V {tile.readonly}, %b: !V {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %y = tile.load %a at [%i, %c0] step [1, 2] : !V -> tensor<32xf32>
  tile.store %y, %b[%i, %c0] combine add : tensor<32xf32>, !V
}

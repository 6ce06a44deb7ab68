// Products as loops over blocks, as #cpu.product says: panels are storage, packing is regions.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(convert-tile-to-stage,stage-split-products))' | FileCheck %s
// RUN: kiln-opt %s -verify-semantics --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},tile.kernel(convert-tile-to-stage,stage-split-products,stage-place,stage-allocate))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed

!V = !tile.view<?x?xf32>

// Panels of left operands keep rows that are contiguous in memory, each with room for all steps.
// CHECK-DAG: #[[left:.*]] = affine_map<(d0, d1) -> (d0 floordiv 6, d1 floordiv 32, d0 mod 6, d1 mod 32)>
// CHECK-DAG: #[[right:.*]] = affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>
// CHECK-DAG: #[[kept:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 3, d2 floordiv 32, d1 mod 3, d2 mod 32)>
// CHECK-DAG: #[[pairs:.*]] = affine_map<(d0, d1, d2) -> (d2 floordiv 16, d1 floordiv 2, d2 mod 16, d1 mod 2)>

// CHECK-LABEL: tile.kernel @blocks
// CHECK: %[[c:.*]] = stage.alloc : memref<32x32xf32>
// CHECK: stage.write %{{.*}}, %[[c]]
// CHECK: %[[a:.*]] = stage.alloc : memref<36x32xf32, #[[left]]>
// CHECK: %[[b:.*]] = stage.alloc : memref<32x16xf32, #[[right]]>
// CHECK: scf.for %[[k:.*]] = %{{.*}} step %c24
// CHECK: scf.for %[[row:.*]] = %{{.*}} step %c6
// CHECK: stage.compute [32, 70] from[%[[row]], %[[k]]] to
// CHECK: tile.load
// CHECK: stage.write %{{.*}}, %[[a]][%c0, %{{.*}}]
// CHECK: scf.for %[[column:.*]] = %{{.*}} step %c16
// CHECK: stage.compute [70, 32] from[%[[k]], %[[column]]] to
// CHECK: stage.write %{{.*}}, %[[b]]
// CHECK: scf.for %[[r:.*]] = %{{.*}} step %c6
// CHECK: stage.prefetch
// CHECK: stage.product %[[a]][%[[r]], %c0], %[[b]][%c0, %c0], %[[c]][%[[r]], %[[column]]] depth %{{.*}} rows %{{.*}} columns %{{.*}} block [6, 16, 32] by @fma.f32
tile.kernel @blocks(%x: !V {tile.readonly}, %y: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !V -> tensor<32x70xf32>
  %b = tile.load %y[%c0, %j] : !V -> tensor<70x32xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 6, columns = 16, depth = 24>}
    : tensor<32x70xf32>, tensor<70x32xf32>, tensor<32x32xf32>
  tile.store %d, %z[%i, %j] : tensor<32x32xf32>, !V
}

// Few rows read the right operand where it lies, if a whole panel of it is inside of the view.
// CHECK-LABEL: tile.kernel @direct
// CHECK: scf.if
// CHECK-NOT: stage.compute
// CHECK: stage.product %{{.*}}, %arg1[%{{.*}}, %{{.*}}], %{{.*}} : {{.*}}, !tile.view<?x?xf32>, memref
// CHECK: } else {
// CHECK: stage.compute
// CHECK: stage.product
tile.kernel @direct(%x: !V {tile.readonly}, %y: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<2x64xf32>
  %a = tile.load %x[%i, %c0] : !V -> tensor<2x48xf32>
  %b = tile.load %y[%c0, %j] : !V -> tensor<48x64xf32>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "fma.f32", rows = 2, columns = 32, depth = 32>}
    : tensor<2x48xf32>, tensor<48x64xf32>, tensor<2x64xf32>
  tile.store %d, %z[%i, %j] : tensor<2x64xf32>, !V
}

// Bytes are widened as they are packed, pairs of steps of the right operand lie beside each other, and batches are a loop.
// CHECK-LABEL: tile.kernel @batches
// CHECK: stage.alloc : memref<1x33x32xi16, #[[kept]]>
// CHECK: stage.alloc : memref<1x32x16xi16, #[[pairs]]>
// CHECK: scf.for %[[batch:.*]] = %c0{{.*}} to %c4{{.*}} step %c1
// CHECK: arith.extsi
// CHECK: stage.product {{.*}} by @vpmaddwd
tile.kernel @batches(%x: !tile.view<4x?x?xi8> {tile.readonly}, %y: !tile.view<4x?x?xi8> {tile.readonly},
                     %z: !tile.view<4x?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<4x32x16xi32>
  %a = tile.load %x[%c0, %i, %c0] : !tile.view<4x?x?xi8> -> tensor<4x32x33xi8>
  %b = tile.load %y[%c0, %c0, %j] : !tile.view<4x?x?xi8> -> tensor<4x33x16xi8>
  %d = tile.dot %a, %b, %zero {split = #cpu.product<row = "vpmaddwd", rows = 3, columns = 16, depth = 32>}
    : tensor<4x32x33xi8>, tensor<4x33x16xi8>, tensor<4x32x16xi32>
  tile.store %d, %z[%c0, %i, %j] : tensor<4x32x16xi32>, !tile.view<4x?x?xi32>
}

// Without the attribute a product stays whole.
// CHECK-LABEL: tile.kernel @whole
// CHECK: tile.dot
tile.kernel @whole(%x: !V {tile.readonly}, %z: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %a = tile.load %x[%i, %i] : !V -> tensor<16x16xf32>
  %d = tile.dot %a, %a, %a : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  tile.store %d, %z[%i, %j] : tensor<16x16xf32>, !V
}

// Products of storage become loops over the blocks of an instruction of the description: one that takes the types, with
// counts where a dimension is no multiple, a batch for a loop. A factor that is computed gets storage of its own. Blocks
// outside of the views are not computed.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies,stage-block-products),verify-stage-form)' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies,stage-block-products))' -o /dev/null
!V = !tile.view<?x?xf32>
!B = !tile.view<?x?x?xf32>
!A = !tile.view<64x64xf32>
module attributes {kiln.target = #kiln.target<name = "pad", chip = "any",
  memories = [#kiln.memory<name = "pad", scope = core, kind = explicit, size = 65536>],
  units = [#kiln.unit<name = "array", kind = matrix, types = [f32, bf16], homes = ["pad"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "narrow", unit = "array", m = <16>, n = <16>, k = <16>,
      lhs = <types = [bf16], home = "pad">, rhs = <types = [bf16], home = "pad">, acc = <types = [f32], home = "pad">>,
    #kiln.matrix_instruction<name = "wide", unit = "array", m = <16>, n = <8>, k = <4>,
      lhs = <types = [f32], home = "pad">, rhs = <types = [f32], home = "pad">, acc = <types = [f32], home = "pad">>]>} {

// CHECK-LABEL: tile.kernel @whole
// CHECK-DAG: %[[c16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[c8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[c4:.*]] = arith.constant 4 : index
// CHECK: scf.for %[[i:.*]] = {{.*}} step %[[c16]]
// CHECK: scf.for %[[j:.*]] = {{.*}} step %[[c8]]
// CHECK: scf.for %[[k:.*]] = {{.*}} step %[[c4]]
// CHECK-NEXT: stage.product %[[x:.*]][%[[i]], %[[k]]], %{{.*}}[%[[k]], %[[j]]], %{{.*}}[%[[i]], %[[j]]] block [16, 8, 4] by @wide
tile.kernel @whole(%a: !A {tile.readonly}, %b: !A {tile.readonly}, %c: !A {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %x = tile.load %a[%i, %c0] : !A -> tensor<32x64xf32>
  %y = tile.load %b[%c0, %j] : !A -> tensor<64x16xf32>
  %d = tile.dot %x, %y, %zero : tensor<32x64xf32>, tensor<64x16xf32>, tensor<32x16xf32>
  tile.store %d, %c[%i, %j] : tensor<32x16xf32>, !A
}

// CHECK-LABEL: tile.kernel @edges
// CHECK: %[[t:.*]] = stage.alloc : memref<20x64xf32>
// CHECK: stage.compute [20, 64] {
// CHECK: tile.transpose
// CHECK: stage.write %{{.*}}, %[[t]]
// CHECK-NOT: stage.compute
// CHECK: scf.for %[[i:.*]] = %{{.*}} to %[[end:.*]] step
// CHECK-NEXT: %[[left:.*]] = arith.subi %[[end]], %[[i]]
// CHECK-NEXT: %[[rows:.*]] = arith.minsi %[[left]]
// CHECK: stage.product %[[t]][%[[i]], %{{.*}}], {{.*}} rows %[[rows]] {{.*}}block [16, 5, 4]
tile.kernel @edges(%a: !V {tile.readonly}, %b: !V {tile.readonly}, %c: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<20x5xf32>
  %x = tile.load %a[%c0, %i] : !V -> tensor<64x20xf32>
  %t = tile.transpose %x [1, 0] : tensor<64x20xf32> -> tensor<20x64xf32>
  %y = tile.load %b[%c0, %j] : !V -> tensor<64x5xf32>
  %d = tile.dot %t, %y, %zero : tensor<20x64xf32>, tensor<64x5xf32>, tensor<20x5xf32>
  tile.store %d, %c[%i, %j] : tensor<20x5xf32>, !V
}

// CHECK-LABEL: tile.kernel @batch
// CHECK: scf.for %[[n:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT: scf.for
// CHECK: stage.product %{{.*}}[%[[n]], %{{.*}}, %{{.*}}], %{{.*}}[%[[n]], {{.*}} block [16, 8, 4]
tile.kernel @batch(%a: !B {tile.readonly}, %b: !B {tile.readonly}, %c: !B {tile.noalias}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<2x16x8xf32>
  %x = tile.load %a[%i, %c0, %c0] : !B -> tensor<2x16x4xf32>
  %y = tile.load %b[%i, %c0, %c0] : !B -> tensor<2x4x8xf32>
  %d = tile.dot %x, %y, %zero : tensor<2x16x4xf32>, tensor<2x4x8xf32>, tensor<2x16x8xf32>
  tile.store %d, %c[%i, %c0, %c0] : tensor<2x16x8xf32>, !B
}

// Tiles of 64 x 96 and 96 x 64, of which the views hold 40 x 50 and 50 x 24: 3 x 3 x 13 blocks of 16 x 8 x 4 instead of
// 4 x 8 x 24.
// CHECK-LABEL: tile.kernel @odd
// CHECK-DAG: %[[c40:.*]] = arith.constant 40 : index
// CHECK-DAG: %[[c24:.*]] = arith.constant 24 : index
// CHECK-DAG: %[[c50:.*]] = arith.constant 50 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[c40]] step
// CHECK: arith.minsi
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[c24]] step
// CHECK-NOT: arith.minsi
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[c50]] step
// CHECK: stage.product {{.*}} depth %{{.*}} rows %{{.*}} block [16, 8, 4]
tile.kernel @odd(%a: !tile.view<40x50xf32> {tile.readonly}, %b: !tile.view<50x24xf32> {tile.readonly}, %c: !tile.view<40x24xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<40x50xf32> -> tensor<64x96xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<50x24xf32> -> tensor<96x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<64x96xf32>, tensor<96x64xf32>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<40x24xf32>
}

// Rows behind the end of a factor's view are zeros, which are not zeros any more where the other factor is infinite: what
// counts is the end of the view that they are stored to. It is computed in front of the product, also if its coordinates
// come later.
// CHECK-LABEL: tile.kernel @padded
// CHECK-DAG: %[[c48:.*]] = arith.constant 48 : index
// CHECK-DAG: %[[c24:.*]] = arith.constant 24 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[c48]] step
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[c24]] step
// CHECK: stage.product
tile.kernel @padded(%a: !tile.view<40x50xf32> {tile.readonly}, %b: !tile.view<50x20xf32> {tile.readonly}, %c: !tile.view<48x24xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<40x50xf32> -> tensor<64x96xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<50x20xf32> -> tensor<96x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<64x96xf32>, tensor<96x64xf32>, tensor<64x64xf32>
  tile.store %d, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<48x24xf32>
}

// CHECK-LABEL: tile.kernel @later
// CHECK: %[[at:.*]] = arith.muli
// CHECK: %[[left:.*]] = arith.subi %{{.*}}, %[[at]]
// CHECK: %[[end:.*]] = arith.minsi %{{.*}}, %[[left]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[end]] step
// CHECK: stage.product
tile.kernel @later(%a: !A {tile.readonly}, %b: !A {tile.readonly}, %c: !V {tile.noalias}, %n: index) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %x = tile.load %a[%i, %c0] : !A -> tensor<32x64xf32>
  %y = tile.load %b[%c0, %c0] : !A -> tensor<64x16xf32>
  %d = tile.dot %x, %y, %zero : tensor<32x64xf32>, tensor<64x16xf32>, tensor<32x16xf32>
  %at = arith.muli %i, %n : index
  tile.store %d, %c at [%at, %c0] : tensor<32x16xf32>, !V
}

// What goes into another product is computed as a whole: there the columns behind the view meet what is not zero.
// CHECK-LABEL: tile.kernel @chain
// CHECK-DAG: %[[c64:.*]] = arith.constant 64 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[c64]] step
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[c64]] step
// CHECK: stage.product
tile.kernel @chain(%a: !tile.view<40x64xf32> {tile.readonly}, %b: !tile.view<64x24xf32> {tile.readonly}, %v: !A {tile.readonly}, %c: !A {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<40x64xf32> -> tensor<64x64xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x24xf32> -> tensor<64x64xf32>
  %d = tile.dot %x, %y, %zero : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  %e = math.exp %d : tensor<64x64xf32>
  %w = tile.load %v[%c0, %c0] : !A -> tensor<64x64xf32>
  %f = tile.dot %e, %w, %zero : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %f, %c[%c0, %c0] : tensor<64x64xf32>, !A
}
}

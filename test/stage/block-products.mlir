// Products of storage become loops over the blocks of an instruction of the description: one that takes the types, with
// counts where a dimension is no multiple, a batch for a loop. A factor that is computed gets storage of its own.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies,stage-block-products),verify-stage-form)' | FileCheck %s
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(tile-decide-storage{keep-reads=true},convert-tile-to-stage,stage-make-copies,stage-block-products))' -o /dev/null
!V = !tile.view<?x?xf32>
!B = !tile.view<?x?x?xf32>
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
tile.kernel @whole(%a: !V {tile.readonly}, %b: !V {tile.readonly}, %c: !V {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %x = tile.load %a[%i, %c0] : !V -> tensor<32x64xf32>
  %y = tile.load %b[%c0, %j] : !V -> tensor<64x16xf32>
  %d = tile.dot %x, %y, %zero : tensor<32x64xf32>, tensor<64x16xf32>, tensor<32x16xf32>
  tile.store %d, %c[%i, %j] : tensor<32x16xf32>, !V
}

// CHECK-LABEL: tile.kernel @edges
// CHECK: %[[t:.*]] = stage.alloc : memref<20x64xf32>
// CHECK: stage.compute [20, 64] {
// CHECK: tile.transpose
// CHECK: stage.write %{{.*}}, %[[t]]
// CHECK: scf.for %[[i:.*]] =
// CHECK: %[[left:.*]] = arith.subi %{{.*}}, %[[i]]
// CHECK: %[[rows:.*]] = arith.minsi %[[left]]
// CHECK: stage.product %[[t]][%[[i]], %{{.*}}], {{.*}} rows %[[rows]] block [16, 5, 4]
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
}

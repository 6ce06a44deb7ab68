// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s

// CHECK-LABEL: tile.kernel private @linear_0_dot(
// CHECK: %[[ID:.*]]:2 = tile.program_id
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c5
// CHECK: tile.load %{{.*}}[%[[ID]]#1, %[[K]]] : !tile.view<100x300xf32> -> tensor<64x64xf32>
// CHECK: tile.load %{{.*}}[%[[K]], %[[ID]]#0] : !tile.view<300x200xf32> -> tensor<64x64xf32>
// CHECK: tile.dot
// CHECK: scf.yield
// CHECK: arith.addf %[[SUM]]
// CHECK: arith.maximumf
// CHECK: tile.store
// CHECK: program.launch [@linear_0_dot] grid(%c4, %c2, %c1) {{.*}} flops %c12040000 {schedule = "generic.contraction"}
func.func @linear(%a: tensor<100x300xf32>, %b: tensor<300x200xf32>, %bias: tensor<200xf32>) -> tensor<100x200xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<100x300xf32>, tensor<300x200xf32> -> tensor<100x200xf32>
  %bb = prim.broadcast_in_dim %bias dims [1] : tensor<200xf32> -> tensor<100x200xf32>
  %e = prim.add %d, %bb : tensor<100x200xf32>
  %z = prim.full 0.0 : f32 : tensor<100x200xf32>
  %m = prim.maximum %e, %z : tensor<100x200xf32>
  return %m : tensor<100x200xf32>
}

// Zero points are subtracted as operands are loaded, and not from padding.
// CHECK-LABEL: tile.kernel private @quantised_0_dot(
// CHECK: scf.for
// CHECK: arith.extsi
// CHECK: arith.subi
// CHECK: arith.select
// CHECK: tile.dot
func.func @quantised(%a: tensor<8x100xi8>, %b: tensor<100x16xi8>) -> tensor<8x16xi32> {
  %z = prim.full 3 : i32 : tensor<8x100xi32>
  %x = prim.convert_element_type %a : tensor<8x100xi8> -> tensor<8x100xi32>
  %y = prim.convert_element_type %b : tensor<100x16xi8> -> tensor<100x16xi32>
  %xs = prim.sub %x, %z : tensor<8x100xi32>
  %d = prim.dot_general %xs, %y batch [] x [] contract [1] x [0] : tensor<8x100xi32>, tensor<100x16xi32> -> tensor<8x16xi32>
  return %d : tensor<8x16xi32>
}

// Dynamic sizes are checked once, at the entry.
// CHECK-LABEL: program.func @dynamic
// CHECK: program.check %{{.*}}, "size of dimension 1 of argument 0 does not match size of dimension 0 of argument 1"
// CHECK-NOT: program.check
// CHECK: program.launch
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<?x?xf32>, tensor<?x64xf32> -> tensor<?x64xf32>
  return %d : tensor<?x64xf32>
}

// Several instances share out the depth of a product: each goes through blocks of its own and leaves its sums in a workspace,
// in the type of the accumulator; a second kernel adds them up and does what follows the product.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec="reference,blocks=16x32x64x3"},func.func(prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: for entry in linear batched column pieces whole; do \
// RUN:   kiln-run %s --target=reference,blocks=16x32x64x3 --check --entry=$entry || exit 1; \
// RUN:   kiln-run %s --target=cpu,blocks=16x32x64x3 --check --entry=$entry || exit 1; done

// 16 blocks in three parts: 6, 6 and 4.
// CHECK-LABEL: tile.kernel private @linear_0_dot(
// CHECK-SAME: %[[SPACE:[a-z0-9]+]]: !tile.view<3x100x70xf32> {tile.facts = {noalias}}
// CHECK-SAME: 100x70x1000x?<=64 bf16*bf16+f32 {{.*}} -> 16x32x64x3"
// CHECK: %[[ID:.*]]:3 = tile.program_id
// CHECK: %[[FIRST:.*]] = arith.muli %[[ID]]#2, %c6
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %c6
// CHECK: %[[LAST:.*]] = arith.minsi %[[END]], %c16
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK: tile.load %{{.*}}[%[[ID]]#1, %[[K]]]
// CHECK: tile.dot
// CHECK-NOT: arith.truncf
// CHECK: tile.store %{{.*}}, %[[SPACE]]
// CHECK-LABEL: tile.kernel private @linear_0_dot_parts(
// CHECK-SAME: %[[SPACE:[a-z0-9]+]]: !tile.view<100x3x70xf32, strides = [70, 7000, 1]> {tile.facts = {readonly}}
// CHECK: %[[PARTS:.*]] = tile.load %[[SPACE]]{{.*}} -> tensor<4x{{[0-9]+}}xf32>
// CHECK: tile.reduce %[[PARTS]] axis 0
// CHECK: arith.addf
// CHECK: arith.truncf
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK: tile.store
// CHECK-LABEL: program.func @linear
// CHECK: program.alloc : memref<3x100x70xf32>
// CHECK: program.launch [@linear_0_dot] grid(%c3{{.*}}, %c7{{.*}}, %c3{{.*}}) {{.*}} flops
// CHECK: program.launch [@linear_0_dot_parts]
func.func @linear(%a: tensor<100x1000xbf16>, %b: tensor<1000x70xbf16>, %bias: tensor<70xbf16>) -> tensor<100x70xbf16> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<100x1000xbf16>, tensor<1000x70xbf16> -> tensor<100x70xbf16>
  %bb = prim.broadcast_in_dim %bias dims [1] : tensor<70xbf16> -> tensor<100x70xbf16>
  %e = prim.add %d, %bb : tensor<100x70xbf16>
  %z = prim.full 0.0 : bf16 : tensor<100x70xbf16>
  %m = prim.maximum %e, %z : tensor<100x70xbf16>
  return %m : tensor<100x70xbf16>
}

// CHECK-LABEL: tile.kernel private @batched_0_dot_parts(
func.func @batched(%a: tensor<3x20x300xf32>, %b: tensor<3x40x300xf32>) -> tensor<3x20x40xf32> {
  %d = prim.dot_general %a, %b batch [0] x [0] contract [2] x [2] : tensor<3x20x300xf32>, tensor<3x40x300xf32> -> tensor<3x20x40xf32>
  return %d : tensor<3x20x40xf32>
}

// What has no columns lies along its rows.
// CHECK-LABEL: tile.kernel private @column_0_dot_parts(
// CHECK: tile.load %{{.*}} -> tensor<4x{{64|128}}xf32>
func.func @column(%a: tensor<100x500xf32>, %b: tensor<500xf32>) -> tensor<100xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<100x500xf32>, tensor<500xf32> -> tensor<100xf32>
  return %d : tensor<100xf32>
}

// Sums of integers, and factors that are computed as they are loaded: not where there are none.
// CHECK-LABEL: tile.kernel private @pieces_0_dot(
// CHECK: arith.select
// CHECK: tile.dot
// CHECK-LABEL: tile.kernel private @pieces_0_dot_parts(
// CHECK: tile.reduce
// CHECK: arith.addi
func.func @pieces(%a: tensor<8x330xi8>, %b: tensor<330x16xi8>) -> tensor<8x16xi32> {
  %z = prim.full 3 : i32 : tensor<8x330xi32>
  %x = prim.convert_element_type %a : tensor<8x330xi8> -> tensor<8x330xi32>
  %y = prim.convert_element_type %b : tensor<330x16xi8> -> tensor<330x16xi32>
  %xs = prim.sub %x, %z : tensor<8x330xi32>
  %d = prim.dot_general %xs, %y batch [] x [] contract [1] x [0] : tensor<8x330xi32>, tensor<330x16xi32> -> tensor<8x16xi32>
  return %d : tensor<8x16xi32>
}

// One block has no parts.
// CHECK-LABEL: tile.kernel private @whole_0_dot(
// CHECK-NOT: @whole_0_dot_parts
func.func @whole(%a: tensor<20x60xf32>, %b: tensor<60x40xf32>) -> tensor<20x40xf32> {
  %d = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<20x60xf32>, tensor<60x40xf32> -> tensor<20x40xf32>
  return %d : tensor<20x40xf32>
}

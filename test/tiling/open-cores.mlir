// A product of open sizes on an invented machine of eight scratchpad cores. In the blocks that suit large sizes, a result of
// 64 x 128 is one instance, and seven cores are idle: the launch takes a variant with eight instances instead.
// RUN: kiln-compile %s --load-target=%S/Inputs/unit16x8.mlir --target=unit16x8 --emit=program -o - | FileCheck %s
// RUN: kiln-compile %s --load-target=%S/Inputs/unit16x8.mlir --target=unit16x8 --emit=program -o %t.mlir
// RUN: kiln-run %t.mlir --target=reference,races=error --arg=random:1:f32:64x512 --arg=random:2:f32:512x128 --result=0:%t.npy
// RUN: kiln-run %s --target=reference --arg=random:1:f32:64x512 --arg=random:2:f32:512x128 --expect=0:%t.npy --rtol=1e-4 --atol=1e-4

// CHECK-DAG: tile.kernel private @main_0_dot({{.*}} -> 64x128x{{[0-9]+}}"
// CHECK-DAG: tile.kernel private @main_0_dot_small_0({{.*}}"contraction 64x128x512 {{.*}} -> 32x32x{{[0-9]+}}"
// CHECK-LABEL: program.func @main
// CHECK: %[[IDLE:.*]] = arith.cmpi slt, %{{.*}}, %c8
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %{{.*}}, %c8
// CHECK: program.launch [{{.*}}@main_0_dot_small_0, @main_0_dot_small, @main_0_dot] guards(%{{.*}}, %[[FEW]], %[[IDLE]])
func.func @main(%a: tensor<?x512xf32>, %b: tensor<512x?xf32>) -> tensor<?x?xf32> {
  %c = prim.dot_general %a, %b batch [] x [] contract [1] x [0] : tensor<?x512xf32>, tensor<512x?xf32> -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}

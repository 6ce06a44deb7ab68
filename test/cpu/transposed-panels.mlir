// A factor that lies along the steps of a product becomes panels by exchanging rows for columns, a vector of rows at a
// time: the code for it is there once for whole vectors in bounds and once at the edge, however wide the panels are.
// REQUIRES: x86_64
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=target | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=main --arg=random:1:f32:50x70 --arg=random:2:f32:192x70 --check
// RUN: kiln-run %s --target=cpu:x86-64-v3 --entry=main --arg=random:1:f32:50x70 --arg=random:2:f32:192x70 --check
// RUN: kiln-run %s --target=cpu --entry=few --arg=random:1:f32:50x70 --arg=random:2:f32:90x70 --check

// CHECK-LABEL: llvm.func @main
// CHECK-COUNT-16: [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23] : vector<16xf32>
// CHECK-NOT: [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23] : vector<16xf32>
// CHECK-LABEL: llvm.func @few
func.func @main(%x: tensor<50x70xf32>, %w: tensor<192x70xf32>) -> tensor<50x192xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<50x70xf32>, tensor<192x70xf32> -> tensor<50x192xf32>
  return %0 : tensor<50x192xf32>
}
func.func @few(%x: tensor<50x70xf32>, %w: tensor<90x70xf32>) -> tensor<50x90xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<50x70xf32>, tensor<90x70xf32> -> tensor<50x90xf32>
  return %0 : tensor<50x90xf32>
}

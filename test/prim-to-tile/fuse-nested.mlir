// A reduction of what each row is reduced to is a kernel of its own where rows are long or many: one instance would take
// them one after the other. Short ones stay together.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(prim-fuse))' | FileCheck %s
// RUN: kiln-run %s --entry=loss --target=cpu --check && kiln-run %s --entry=short --target=cpu --check && kiln-run %s --entry=open --target=cpu --check --dim=5

// CHECK-LABEL: func.func @loss
// CHECK: prim.fusion reduction({{.*}}) : (tensor<200x300xf32>) -> tensor<200xf32>
// CHECK: prim.amax
// CHECK: prim.sum
// CHECK: prim.fusion reduction({{.*}}) : (tensor<200xf32>) -> tensor<f32>
// CHECK-NEXT: ^bb0
// CHECK-NEXT: prim.sum
func.func @loss(%x: tensor<200x300xf32>) -> tensor<f32> {
  %m = prim.amax %x dims [1] : tensor<200x300xf32> -> tensor<200xf32>
  %b = prim.broadcast_in_dim %m dims [0] : tensor<200xf32> -> tensor<200x300xf32>
  %d = prim.sub %x, %b : tensor<200x300xf32>
  %s = prim.sum %d dims [1] : tensor<200x300xf32> -> tensor<200xf32>
  %r = prim.sum %s dims [0] : tensor<200xf32> -> tensor<f32>
  return %r : tensor<f32>
}
// CHECK-LABEL: func.func @short
// CHECK-COUNT-1: prim.fusion
// CHECK-NOT: prim.fusion
func.func @short(%x: tensor<20x30xf32>) -> tensor<f32> {
  %m = prim.amax %x dims [1] : tensor<20x30xf32> -> tensor<20xf32>
  %r = prim.sum %m dims [0] : tensor<20xf32> -> tensor<f32>
  return %r : tensor<f32>
}
// A size that is not known counts as 64.
// CHECK-LABEL: func.func @open
// CHECK: prim.fusion reduction({{.*}}) : (tensor<?x1000xf32>) -> tensor<?xf32>
// CHECK: prim.fusion reduction({{.*}}) : (tensor<?xf32>) -> tensor<f32>
func.func @open(%x: tensor<?x1000xf32>) -> tensor<f32> {
  %m = prim.amax %x dims [1] : tensor<?x1000xf32> -> tensor<?xf32>
  %r = prim.sum %m dims [0] : tensor<?xf32> -> tensor<f32>
  return %r : tensor<f32>
}

// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-fuse))' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v4,threads=1},func.func(prim-fuse))' | FileCheck %s --check-prefix=CPU

// Several cores share one sum of columns, but not two that are added up: each
// is a group where a kernel of both would have fewer instances than cores.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-2: prim.fusion reduction
// CHECK-NOT: prim.fusion
// CHECK: return
// CPU-LABEL: func.func @columns
// CPU: prim.fusion reduction
// CPU-NOT: prim.fusion
// CPU: return
func.func @columns(%x: tensor<2048x768xf32>, %y: tensor<2048x768xf32>) -> tensor<768xf32> {
  %a = prim.sum %x dims [0] : tensor<2048x768xf32> -> tensor<768xf32>
  %b = prim.sum %y dims [0] : tensor<2048x768xf32> -> tensor<768xf32>
  %r = prim.add %a, %b : tensor<768xf32>
  return %r : tensor<768xf32>
}

// Rows are enough instances, and a sum of what another one gives stays there.
// CHECK-LABEL: func.func @rows
// CHECK: prim.fusion reduction
// CHECK-NOT: prim.fusion
func.func @rows(%x: tensor<2048x768xf32>, %y: tensor<2048x768xf32>) -> tensor<2048xf32> {
  %a = prim.sum %x dims [1] : tensor<2048x768xf32> -> tensor<2048xf32>
  %b = prim.sum %y dims [1] : tensor<2048x768xf32> -> tensor<2048xf32>
  %r = prim.add %a, %b : tensor<2048xf32>
  return %r : tensor<2048xf32>
}

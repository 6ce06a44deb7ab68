// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(prim-decompose))' | FileCheck %s --check-prefix=DECOMPOSE
// RUN: kiln-run %s --target=cpu --entry=lines --check --arg=random:1 --arg=random:2
// RUN: kiln-run %s --target=cpu --entry=halves --dim=5 --check --arg=random:1

// CHECK-LABEL: func.func @lines
// DECOMPOSE-LABEL: func.func @lines
// DECOMPOSE-NOT: prim.fourier
func.func @lines(%x: tensor<3x60xf32>, %y: tensor<3x60xf32>) -> (tensor<3x60xf32>, tensor<3x60xf32>) {
  // CHECK: prim.fourier %{{.*}}, %{{.*}} dim 1 : tensor<3x60xf32>, tensor<3x60xf32> -> tensor<3x60xf32>, tensor<3x60xf32>
  %re, %im = prim.fourier %x, %y dim 1 : tensor<3x60xf32>, tensor<3x60xf32> -> tensor<3x60xf32>, tensor<3x60xf32>
  return %re, %im : tensor<3x60xf32>, tensor<3x60xf32>
}

// CHECK-LABEL: func.func @halves
func.func @halves(%x: tensor<?x34xf32>) -> tensor<?x34xf32> {
  // CHECK: prim.fourier %{{.*}} dim 1 : tensor<?x34xf32> -> tensor<?x18xf32>, tensor<?x18xf32>
  %re, %im = prim.fourier %x dim 1 : tensor<?x34xf32> -> tensor<?x18xf32>, tensor<?x18xf32>
  // CHECK: prim.fourier %{{.*}}, %{{.*}} dim 1 inverse : tensor<?x18xf32>, tensor<?x18xf32> -> tensor<?x34xf32>
  %r = prim.fourier %re, %im dim 1 inverse : tensor<?x18xf32>, tensor<?x18xf32> -> tensor<?x34xf32>
  return %r : tensor<?x34xf32>
}

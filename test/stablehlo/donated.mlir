// What JAX writes about arguments that a caller gives up.
// RUN: kiln-compile %s --target=cpu --emit=prim -o - | FileCheck %s
// RUN: kiln-compile %s --target=cpu --emit=program -o - | FileCheck %s --check-prefix=PROGRAM
// CHECK: func.func @main(%arg0: tensor<8x4xf32> {kiln.argument = {donated{{.*}}}, %arg1: tensor<2x2xf32> {kiln.argument = {donated{{.*}}}, %arg2: tensor<1x4xf32>
// CHECK-NOT: aliasing
// PROGRAM: program.func @main({{.*}} {kiln.argument = {donated = "written"}}, {{.*}} {kiln.argument = {donated}}, %{{[a-z0-9]+}}: memref<1x4xf32>
func.func public @main(%cache: tensor<8x4xf32> {tf.aliasing_output = 0 : i32}, %other: tensor<2x2xf32> {jax.buffer_donor = true}, %new: tensor<1x4xf32>, %i: tensor<i32>) -> (tensor<8x4xf32>, tensor<2x2xf32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %cache, %new, %i, %z : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %s = stablehlo.add %other, %other : tensor<2x2xf32>
  return %r, %s : tensor<8x4xf32>, tensor<2x2xf32>
}

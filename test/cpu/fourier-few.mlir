// Lines of three elements or more are one kernel for each dimension, as longer ones are.
// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=1 --emit=program -o - | FileCheck %s
// RUN: for entry in both lengths reals doubles; do kiln-run %s --target=cpu --entry=$entry --check || exit 1; done
// RUN: for entry in both lengths reals doubles; do kiln-run %s --target=cpu:x86-64,threads=1 --entry=$entry --check || exit 1; done

// CHECK-LABEL: program.func @both(
// CHECK-COUNT-2: program.launch {{.*}}generic.fourier
// CHECK-NOT: program.launch
// CHECK: program.return
func.func @both(%x: tensor<15x9xf32>, %y: tensor<15x9xf32>) -> (tensor<15x9xf32>, tensor<15x9xf32>) {
  %0:2 = prim.fourier %x, %y dim 1 : tensor<15x9xf32>, tensor<15x9xf32> -> tensor<15x9xf32>, tensor<15x9xf32>
  %1:2 = prim.fourier %0#0, %0#1 dim 0 : tensor<15x9xf32>, tensor<15x9xf32> -> tensor<15x9xf32>, tensor<15x9xf32>
  return %1#0, %1#1 : tensor<15x9xf32>, tensor<15x9xf32>
}

// Pairs are multiplied with a matrix.
// CHECK-LABEL: program.func @lengths(
// CHECK-DAG: program.launch {{.*}}generic.contraction
// CHECK-DAG: program.launch {{.*}}generic.fourier
// CHECK-DAG: program.launch {{.*}}generic.fourier
// CHECK-DAG: program.launch {{.*}}generic.fourier
// CHECK: program.return
func.func @lengths(%a: tensor<5x2xf32>, %b: tensor<3x40xf32>, %c: tensor<7x8xf32>, %d: tensor<2x13x3xf32>)
    -> (tensor<5x2xf32>, tensor<5x2xf32>, tensor<3x40xf32>, tensor<3x40xf32>, tensor<7x8xf32>, tensor<7x8xf32>, tensor<2x13x3xf32>, tensor<2x13x3xf32>) {
  %0:2 = prim.fourier %a, %a dim 1 : tensor<5x2xf32>, tensor<5x2xf32> -> tensor<5x2xf32>, tensor<5x2xf32>
  %1:2 = prim.fourier %b, %b dim 0 inverse : tensor<3x40xf32>, tensor<3x40xf32> -> tensor<3x40xf32>, tensor<3x40xf32>
  %2:2 = prim.fourier %c, %c dim 1 inverse : tensor<7x8xf32>, tensor<7x8xf32> -> tensor<7x8xf32>, tensor<7x8xf32>
  %3:2 = prim.fourier %d, %d dim 1 : tensor<2x13x3xf32>, tensor<2x13x3xf32> -> tensor<2x13x3xf32>, tensor<2x13x3xf32>
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1 : tensor<5x2xf32>, tensor<5x2xf32>, tensor<3x40xf32>, tensor<3x40xf32>, tensor<7x8xf32>, tensor<7x8xf32>, tensor<2x13x3xf32>, tensor<2x13x3xf32>
}

func.func @reals(%x: tensor<6x9xf32>, %y: tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x8xf32>) {
  %0:2 = prim.fourier %x dim 1 : tensor<6x9xf32> -> tensor<6x5xf32>, tensor<6x5xf32>
  %1 = prim.fourier %y, %y dim 1 inverse : tensor<6x5xf32>, tensor<6x5xf32> -> tensor<6x8xf32>
  return %0#0, %0#1, %1 : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x8xf32>
}

func.func @doubles(%x: tensor<4x7xf64>, %y: tensor<4x7xf64>) -> (tensor<4x7xf64>, tensor<4x7xf64>) {
  %0:2 = prim.fourier %x, %y dim 1 : tensor<4x7xf64>, tensor<4x7xf64> -> tensor<4x7xf64>, tensor<4x7xf64>
  %1:2 = prim.fourier %0#0, %0#1 dim 0 inverse : tensor<4x7xf64>, tensor<4x7xf64> -> tensor<4x7xf64>, tensor<4x7xf64>
  return %1#0, %1#1 : tensor<4x7xf64>, tensor<4x7xf64>
}

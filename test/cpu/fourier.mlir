// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=1 --entry=line --emit=asm -o - | FileCheck %s
// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=1 --entry=pairs --emit=program -o - | FileCheck %s --check-prefix=PAIRS
// RUN: kiln-run %s --target=cpu --entry=line --check
// RUN: kiln-run %s --target=cpu --entry=pairs --check
// RUN: kiln-run %s --target=cpu --entry=real --check
// RUN: kiln-run %s --target=cpu --entry=to_real --check
// RUN: kiln-run %s --target=cpu --entry=odd --check
// RUN: kiln-run %s --target=cpu --entry=prime --check
// RUN: kiln-run %s --target=cpu --entry=columns --check
// RUN: kiln-run %s --target=cpu --entry=long_columns --check
// RUN: kiln-run %s --target=cpu --entry=doubles --check
// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=1 --entry=short --emit=asm -o - | FileCheck %s --check-prefix=SHORT
// RUN: kiln-run %s --target=cpu --entry=short --check
// RUN: kiln-run %s --target=cpu:x86-64,threads=1 --entry=short --check
// RUN: kiln-run %s --target=cpu:x86-64-v3,threads=1 --entry=short --check
// RUN: kiln-run %s --target=cpu --entry=short_real --check
// RUN: kiln-run %s --target=cpu,threads=1,vector_bits=256 --entry=short_real --check
// RUN: kiln-run %s --target=cpu --entry=short_doubles --check
// RUN: kiln-run %s --target=cpu:x86-64,threads=1 --entry=line --check
// RUN: kiln-run %s --target=cpu,threads=1,vector_bits=128 --entry=columns --check

// Registers hold neighbouring elements: nothing is gathered or scattered.
// CHECK-NOT: vgather
// CHECK-NOT: vscatter
// CHECK: v{{add|sub}}ps {{.*}}zmm
// CHECK-NOT: vgather
// CHECK-NOT: vscatter
func.func @line(%x: tensor<3x1000xf32>, %y: tensor<3x1000xf32>) -> (tensor<3x1000xf32>, tensor<3x1000xf32>) {
  %a, %b = prim.fourier %x, %y dim 1 : tensor<3x1000xf32>, tensor<3x1000xf32> -> tensor<3x1000xf32>, tensor<3x1000xf32>
  return %a, %b : tensor<3x1000xf32>, tensor<3x1000xf32>
}

// Parts of pairs are read and written where they are: there is one launch.
// PAIRS-COUNT-1: program.launch
// PAIRS-SAME: generic.fourier
// PAIRS-NOT: program.launch
func.func @pairs(%x: tensor<3x64x2xf32>) -> tensor<3x64x2xf32> {
  %p = prim.slice %x starts [0, 0, 0] limits [3, 64, 1] strides [1, 1, 1] : tensor<3x64x2xf32> -> tensor<3x64x1xf32>
  %q = prim.slice %x starts [0, 0, 1] limits [3, 64, 2] strides [1, 1, 1] : tensor<3x64x2xf32> -> tensor<3x64x1xf32>
  %re = prim.reshape %p : tensor<3x64x1xf32> -> tensor<3x64xf32>
  %im = prim.reshape %q : tensor<3x64x1xf32> -> tensor<3x64xf32>
  %a, %b = prim.fourier %re, %im dim 1 : tensor<3x64xf32>, tensor<3x64xf32> -> tensor<3x64xf32>, tensor<3x64xf32>
  %c = prim.reshape %a : tensor<3x64xf32> -> tensor<3x64x1xf32>
  %d = prim.reshape %b : tensor<3x64xf32> -> tensor<3x64x1xf32>
  %r = prim.cat %c, %d dim 2 : tensor<3x64x1xf32>, tensor<3x64x1xf32> -> tensor<3x64x2xf32>
  return %r : tensor<3x64x2xf32>
}

func.func @real(%x: tensor<5x384xf32>) -> (tensor<5x193xf32>, tensor<5x193xf32>) {
  %a, %b = prim.fourier %x dim 1 : tensor<5x384xf32> -> tensor<5x193xf32>, tensor<5x193xf32>
  return %a, %b : tensor<5x193xf32>, tensor<5x193xf32>
}

func.func @to_real(%x: tensor<5x45xf32>, %y: tensor<5x45xf32>) -> tensor<5x88xf32> {
  %a = prim.fourier %x, %y dim 1 inverse : tensor<5x45xf32>, tensor<5x45xf32> -> tensor<5x88xf32>
  return %a : tensor<5x88xf32>
}

func.func @odd(%x: tensor<4x18xf32>, %y: tensor<4x18xf32>) -> (tensor<4x35xf32>, tensor<4x18xf32>, tensor<4x18xf32>) {
  %a = prim.fourier %x, %y dim 1 inverse : tensor<4x18xf32>, tensor<4x18xf32> -> tensor<4x35xf32>
  %b, %c = prim.fourier %a dim 1 : tensor<4x35xf32> -> tensor<4x18xf32>, tensor<4x18xf32>
  return %a, %b, %c : tensor<4x35xf32>, tensor<4x18xf32>, tensor<4x18xf32>
}

func.func @prime(%x: tensor<2x101xf32>, %y: tensor<2x101xf32>) -> (tensor<2x101xf32>, tensor<2x101xf32>) {
  %a, %b = prim.fourier %x, %y dim 1 : tensor<2x101xf32>, tensor<2x101xf32> -> tensor<2x101xf32>, tensor<2x101xf32>
  return %a, %b : tensor<2x101xf32>, tensor<2x101xf32>
}

func.func @columns(%x: tensor<2x48x21xf32>) -> (tensor<2x25x21xf32>, tensor<2x25x21xf32>, tensor<2x48x21xf32>) {
  %a, %b = prim.fourier %x dim 1 : tensor<2x48x21xf32> -> tensor<2x25x21xf32>, tensor<2x25x21xf32>
  %c = prim.fourier %a, %b dim 1 inverse : tensor<2x25x21xf32>, tensor<2x25x21xf32> -> tensor<2x48x21xf32>
  return %a, %b, %c : tensor<2x25x21xf32>, tensor<2x25x21xf32>, tensor<2x48x21xf32>
}

func.func @long_columns(%x: tensor<34x5xf32>, %y: tensor<34x5xf32>) -> (tensor<34x5xf32>, tensor<34x5xf32>) {
  %a, %b = prim.fourier %x, %y dim 0 inverse : tensor<34x5xf32>, tensor<34x5xf32> -> tensor<34x5xf32>, tensor<34x5xf32>
  return %a, %b : tensor<34x5xf32>, tensor<34x5xf32>
}

func.func @doubles(%x: tensor<3x90xf64>, %y: tensor<3x90xf64>) -> (tensor<3x90xf64>, tensor<3x90xf64>) {
  %a, %b = prim.fourier %x, %y dim 1 : tensor<3x90xf64>, tensor<3x90xf64> -> tensor<3x90xf64>, tensor<3x90xf64>
  return %a, %b : tensor<3x90xf64>, tensor<3x90xf64>
}

// Lines too short to fill registers become columns, sixteen at a time: no
// register of butterflies is a part of a longer one.
// SHORT-LABEL: short_0_fourier:
// SHORT-NOT: v{{add|sub|mul|fmadd[0-9]+}}ps {{.*}}{{[xy]}}mm
// SHORT: v{{add|sub}}ps {{.*}}zmm
// SHORT-NOT: v{{add|sub|mul|fmadd[0-9]+}}ps {{.*}}{{[xy]}}mm
// SHORT: short_0_fourier_table
func.func @short(%x: tensor<2x35x32xf32>, %y: tensor<2x35x32xf32>) -> (tensor<2x35x32xf32>, tensor<2x35x32xf32>) {
  %a, %b = prim.fourier %x, %y dim 2 : tensor<2x35x32xf32>, tensor<2x35x32xf32> -> tensor<2x35x32xf32>, tensor<2x35x32xf32>
  return %a, %b : tensor<2x35x32xf32>, tensor<2x35x32xf32>
}

func.func @short_real(%x: tensor<40x36xf32>) -> (tensor<40x19xf32>, tensor<40x19xf32>, tensor<40x36xf32>) {
  %a, %b = prim.fourier %x dim 1 : tensor<40x36xf32> -> tensor<40x19xf32>, tensor<40x19xf32>
  %c = prim.fourier %a, %b dim 1 inverse : tensor<40x19xf32>, tensor<40x19xf32> -> tensor<40x36xf32>
  return %a, %b, %c : tensor<40x19xf32>, tensor<40x19xf32>, tensor<40x36xf32>
}

func.func @short_doubles(%x: tensor<29x21xf64>, %y: tensor<29x21xf64>) -> (tensor<29x21xf64>, tensor<29x21xf64>) {
  %a, %b = prim.fourier %x, %y dim 1 inverse : tensor<29x21xf64>, tensor<29x21xf64> -> tensor<29x21xf64>, tensor<29x21xf64>
  return %a, %b : tensor<29x21xf64>, tensor<29x21xf64>
}

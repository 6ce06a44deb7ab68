// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @fourier
tile.kernel @fourier(%a: !tile.view<4x64xf32>, %b: !tile.view<4x64xf32>) {
  %c = arith.constant 0 : index
  %x = tile.load %a[%c, %c] : !tile.view<4x64xf32> -> tensor<4x64xf32>
  // CHECK: tile.fourier %{{.*}}, %{{.*}} axis 1 : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x64xf32>, tensor<4x64xf32>
  %re, %im = tile.fourier %x, %x axis 1 : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x64xf32>, tensor<4x64xf32>
  // CHECK: tile.fourier %{{.*}} axis 0 : tensor<4x64xf32> -> tensor<3x64xf32>, tensor<3x64xf32>
  %p, %q = tile.fourier %re axis 0 : tensor<4x64xf32> -> tensor<3x64xf32>, tensor<3x64xf32>
  // CHECK: tile.fourier %{{.*}}, %{{.*}} axis 0 inverse : tensor<3x64xf32>, tensor<3x64xf32> -> tensor<4x64xf32>
  %r = tile.fourier %p, %q axis 0 inverse : tensor<3x64xf32>, tensor<3x64xf32> -> tensor<4x64xf32>
  tile.store %r, %b[%c, %c] : tensor<4x64xf32>, !tile.view<4x64xf32>
}

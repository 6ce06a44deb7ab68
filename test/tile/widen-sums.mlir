// RUN: kiln-opt %s --tile-widen-accumulators | FileCheck %s
// Sums of 16-bit floats in any order are added in f32 and rounded at their end; ordered ones, which
// round at each step, and maxima stay.

// CHECK-LABEL: @sums
tile.kernel @sums(%x: !tile.view<8x64xf16>, %y: !tile.view<8xf16>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x64xf16> -> tensor<8x64xf16>
  // CHECK: %[[WIDE:.*]] = arith.extf {{.*}} : tensor<8x64xf16> to tensor<8x64xf32>
  // CHECK: %[[SUM:.*]] = tile.reduce %[[WIDE]] axis 1 : tensor<8x64xf32> -> tensor<8xf32>
  // CHECK: arith.addf {{.*}} : f32
  // CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : tensor<8xf32> to tensor<8xf16>
  %s = tile.reduce %t axis 1 : tensor<8x64xf16> -> tensor<8xf16> {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  // CHECK: tile.reduce {{.*}} axis 1 ordered : tensor<8x64xf16> -> tensor<8xf16>
  %o = tile.reduce %t axis 1 ordered : tensor<8x64xf16> -> tensor<8xf16> {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  // CHECK: tile.reduce {{.*}} axis 1 : tensor<8x64xf16> -> tensor<8xf16>
  %m = tile.reduce %t axis 1 : tensor<8x64xf16> -> tensor<8xf16> {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  // CHECK: arith.addf %[[ROUNDED]]
  %u = arith.addf %s, %o : tensor<8xf16>
  %v = arith.addf %u, %m : tensor<8xf16>
  tile.store %v, %y[%c0] : tensor<8xf16>, !tile.view<8xf16>
}

// Panels of a product are packed in whole vectors, which may reach past the tile. A gather masks the lanes there: what
// lies behind the tile of indices, in memory, is no index.
// REQUIRES: x86_64
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=target | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --grid=1 --arg=random:1:f32:3x40 --arg=random:2:f32:32x32 --arg=i32:2 --arg=zeros:f32:32x32

// Panels have 8 rows, vectors 16 lanes.
// CHECK-LABEL: llvm.func @rows
// CHECK: %[[INSIDE:.*]] = llvm.icmp "ult" %{{.*}}, %{{.*}} : vector<16xi64>
// CHECK: %[[LEFT:.*]] = llvm.icmp "sgt" %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK-NEXT: llvm.and %[[INSIDE]], %[[LEFT]] : vector<16xi1>
// CHECK: llvm.intr.masked.gather
tile.kernel @rows(%x: !tile.view<3x40xf32>, %w: !tile.view<32x32xf32>, %n: i32, %y: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %i = tile.iota 0 : tensor<32xi32>
  %s = tile.splat %n : tensor<32xi32>
  %q = arith.divsi %i, %s : tensor<32xi32>
  %t = tile.load_gather %x[%c0] dim 1 by %q : !tile.view<3x40xf32>, tensor<32xi32> -> tensor<32x32xf32>
  %v = tile.transpose %t [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  %f = tile.load %w[%c0, %c0] : !tile.view<32x32xf32> -> tensor<32x32xf32>
  %d = tile.dot %v, %f, %z : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  tile.store %d, %y[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales are powers of two: products in f64, rounded once.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand-scaling))' -split-input-file -verify-diagnostics | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand-scaling,tile-lower-float8))' -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=BYTES

// CHECK-LABEL: tile.kernel @wide
// CHECK: %[[W:.*]] = arith.extf %{{.*}} : tensor<8xf16> to tensor<8xf64>
// CHECK: %[[CODE:.*]] = arith.extui %{{.*}} : tensor<8xi8> to tensor<8xi64>
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[CODE]], %{{.*}} : tensor<8xi64>
// CHECK: arith.select %[[IS]]
// CHECK: %[[P:.*]] = arith.mulf %[[W]], %{{.*}} : tensor<8xf64>
// CHECK: arith.truncf %[[P]] : tensor<8xf64> to tensor<8xf32>
// BYTES-LABEL: tile.kernel @wide
// BYTES-SAME: !tile.view<?xi8>
// BYTES-NOT: f8E8M0FNU
tile.kernel @wide(%x: !tile.view<?xf16>, %s: !tile.view<?xf8E8M0FNU>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<?xf16> -> tensor<8xf16>
  %b = tile.load %s[%c0] : !tile.view<?xf8E8M0FNU> -> tensor<8xf8E8M0FNU>
  %r = arith.scaling_extf %a, %b : tensor<8xf16>, tensor<8xf8E8M0FNU> to tensor<8xf32>
  tile.store %r, %y[%c0] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

// Another type is rounded to the nearest power first; what is narrowed is multiplied with the inverse.
// CHECK-LABEL: tile.kernel @narrow
// CHECK: arith.bitcast %{{.*}} : tensor<8xf64> to tensor<8xi64>
// CHECK: arith.maxsi
// CHECK: arith.minsi
// NaN has the code 255, whatever its sign and bits.
// CHECK: arith.cmpf uno
// CHECK: arith.select
// CHECK-NOT: arith.divf
// CHECK: arith.truncf %{{.*}} : tensor<8xf64> to tensor<8xbf16>
tile.kernel @narrow(%x: !tile.view<?xf32>, %y: !tile.view<?xbf16>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<8xf32>
  %r = arith.scaling_truncf %a, %a : tensor<8xf32>, tensor<8xf32> to tensor<8xbf16>
  tile.store %r, %y[%c0] : tensor<8xbf16>, !tile.view<?xbf16>
}

// -----

// CHECK-LABEL: tile.kernel @scales
// CHECK: %[[T:.*]] = arith.trunci %{{.*}} : tensor<8xi64> to tensor<8xi8>
// CHECK: %[[S:.*]] = arith.bitcast %[[T]] : tensor<8xi8> to tensor<8xf8E8M0FNU>
// CHECK: arith.truncf %{{.*}} : tensor<8xf64> to tensor<8xf32>
tile.kernel @scales(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<8xf32>
  %s = arith.truncf %a : tensor<8xf32> to tensor<8xf8E8M0FNU>
  %r = arith.extf %s : tensor<8xf8E8M0FNU> to tensor<8xf32>
  tile.store %r, %y[%c0] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @upward(%x: !tile.view<?xf32>, %y: !tile.view<?xbf16>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<8xf32>
  // expected-error@+1 {{unsupported: arith.scaling_truncf with another rounding than to_nearest_even}}
  %r = arith.scaling_truncf %a, %a upward : tensor<8xf32>, tensor<8xf32> to tensor<8xbf16>
  tile.store %r, %y[%c0] : tensor<8xbf16>, !tile.view<?xbf16>
}

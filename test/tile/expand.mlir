// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand-wide-products,tile-expand-conversions,tile-expand-sincos))' | FileCheck %s

// CHECK-LABEL: tile.kernel @high
tile.kernel @high(%x: !tile.view<?xi32>, %y: !tile.view<?xi32>) {
  %i = tile.program_id : index
  // CHECK: %[[A:.*]] = tile.load
  %a = tile.load %x[%i] : !tile.view<?xi32> -> tensor<64xi32>
  // CHECK: %[[W:.*]] = arith.extui %[[A]] : tensor<64xi32> to tensor<64xi64>
  // CHECK: %[[P:.*]] = arith.muli %[[W]], %{{.*}} : tensor<64xi64>
  // CHECK: %[[S:.*]] = arith.shrui %[[P]], %{{.*}} : tensor<64xi64>
  // CHECK: arith.trunci %[[S]] : tensor<64xi64> to tensor<64xi32>
  // CHECK-NOT: mului_extended
  %low, %high = arith.mului_extended %a, %a : tensor<64xi32>
  tile.store %high, %y[%i] : tensor<64xi32>, !tile.view<?xi32>
}

// Truth values have products of a byte.
// CHECK-LABEL: tile.kernel @high_of_bits
tile.kernel @high_of_bits(%x: !tile.view<?xi1>, %y: !tile.view<?xi1>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xi1> -> tensor<64xi1>
  // CHECK: %[[W:.*]] = arith.extsi %{{.*}} : tensor<64xi1> to tensor<64xi8>
  // CHECK: arith.muli %[[W]], %{{.*}} : tensor<64xi8>
  // CHECK: arith.trunci %{{.*}} : tensor<64xi8> to tensor<64xi1>
  %low, %high = arith.mulsi_extended %a, %a : tensor<64xi1>
  tile.store %high, %y[%i] : tensor<64xi1>, !tile.view<?xi1>
}

// A sum that has wrapped is less than its terms.
// CHECK-LABEL: tile.kernel @carry
tile.kernel @carry(%x: !tile.view<?xi32>, %y: !tile.view<?xi32>, %z: !tile.view<?xi1>) {
  %i = tile.program_id : index
  // CHECK: %[[A:.*]] = tile.load
  %a = tile.load %x[%i] : !tile.view<?xi32> -> tensor<64xi32>
  // CHECK: %[[SUM:.*]] = arith.addi %[[A]], %[[A]] : tensor<64xi32>
  // CHECK: arith.cmpi ult, %[[SUM]], %[[A]] : tensor<64xi32>
  // CHECK-NOT: addui_extended
  %sum, %carry = arith.addui_extended %a, %a : tensor<64xi32>, tensor<64xi1>
  tile.store %sum, %y[%i] : tensor<64xi32>, !tile.view<?xi32>
  tile.store %carry, %z[%i] : tensor<64xi1>, !tile.view<?xi1>
}

// Toward zero: one step back where rounding went up.
// CHECK-LABEL: tile.kernel @toward_zero
tile.kernel @toward_zero(%x: !tile.view<?xf32>, %y: !tile.view<?xbf16>) {
  %i = tile.program_id : index
  // CHECK: %[[A:.*]] = tile.load
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  // CHECK: %[[NEAR:.*]] = arith.truncf %[[A]] : tensor<64xf32> to tensor<64xbf16>
  // CHECK: %[[OVER:.*]] = arith.cmpf ogt
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[NEAR]] : tensor<64xbf16> to tensor<64xi16>
  // CHECK: %[[BEFORE:.*]] = arith.subi %[[BITS]]
  // CHECK: %[[B:.*]] = arith.bitcast %[[BEFORE]]
  // CHECK: arith.select %[[OVER]], %[[B]], %[[NEAR]]
  // CHECK-NOT: tile.convert_float
  %b = tile.convert_float %a toward_zero : tensor<64xf32> -> tensor<64xbf16>
  tile.store %b, %y[%i] : tensor<64xbf16>, !tile.view<?xbf16>
}

// CHECK-LABEL: tile.kernel @both
tile.kernel @both(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %z: !tile.view<?xf32>) {
  %i = tile.program_id : index
  // CHECK: %[[A:.*]] = tile.load
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  // CHECK: %[[SIN:.*]] = math.sin %[[A]] : tensor<64xf32>
  // CHECK: %[[COS:.*]] = math.cos %[[A]] : tensor<64xf32>
  %sin, %cos = math.sincos %a : tensor<64xf32>
  // CHECK: tile.store %[[SIN]]
  tile.store %sin, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
  // CHECK: tile.store %[[COS]]
  tile.store %cos, %z[%i] : tensor<64xf32>, !tile.view<?xf32>
}

// What nobody uses is not computed.
// CHECK-LABEL: tile.kernel @one
tile.kernel @one(%x: !tile.view<?xf16>, %y: !tile.view<?xf16>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf16> -> tensor<64xf16>
  // CHECK-NOT: math.sin
  // CHECK: math.cos
  %sin, %cos = math.sincos %a : tensor<64xf16>
  tile.store %cos, %y[%i] : tensor<64xf16>, !tile.view<?xf16>
}

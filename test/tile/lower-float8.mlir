// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-lower-float8))' -split-input-file -verify-diagnostics | FileCheck %s

// Parameters, tiles and views hold bytes; what is computed is f32, rounded once.
// CHECK-LABEL: tile.kernel @sum
// CHECK-SAME: !tile.view<?xi8>
tile.kernel @sum(%x: !tile.view<?xf8E4M3FN>, %y: !tile.view<?xf8E4M3FN>) {
  %i = tile.program_id : index
  // CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<64xi8>
  %a = tile.load %x[%i] : !tile.view<?xf8E4M3FN> -> tensor<64xf8E4M3FN>
  // CHECK: arith.extui %[[X]] : tensor<64xi8> to tensor<64xi32>
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<64xf32>
  // CHECK: arith.bitcast %[[SUM]] : tensor<64xf32> to tensor<64xi32>
  %b = arith.addf %a, %a : tensor<64xf8E4M3FN>
  // CHECK: %[[BYTES:.*]] = arith.trunci %{{.*}} : tensor<64xi32> to tensor<64xi8>
  // CHECK: tile.store %[[BYTES]], {{.*}} : tensor<64xi8>
  tile.store %b, %y[%i] : tensor<64xf8E4M3FN>, !tile.view<?xf8E4M3FN>
}

// -----

// What is printed keeps its type.
// CHECK-LABEL: tile.kernel @print
tile.kernel @print(%x: !tile.view<?xf8E5M2>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf8E5M2> -> tensor<4xf8E5M2>
  // CHECK: tile.print {{.*}}printed_types = [f8E5M2]
  tile.print "x" %a : tensor<4xf8E5M2>
}

// -----

// A kernel without such floats stays as it is.
// CHECK-LABEL: tile.kernel @other
// CHECK-NEXT: tile.program_id
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
tile.kernel @other(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  tile.store %a, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
}

// -----

// NaN behind the edge is a byte, too.
// CHECK-LABEL: tile.kernel @padding
// CHECK: %[[NAN:.*]] = arith.constant 126 : i8
// CHECK: tile.load %{{.*}} pad %[[NAN]] : i8
tile.kernel @padding(%x: !tile.view<?xf8E5M2>, %y: !tile.view<?xf8E5M2>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] padding nan : !tile.view<?xf8E5M2> -> tensor<4xf8E5M2>
  tile.store %a, %y[%i] : tensor<4xf8E5M2>, !tile.view<?xf8E5M2>
}

// -----

// Rounded once: what f32 has no number for becomes an odd one between its neighbours.
// CHECK-LABEL: tile.kernel @double
// CHECK: %[[NEAR:.*]] = arith.truncf %{{.*}} : tensor<4xf64> to tensor<4xf32>
// CHECK: %[[BACK:.*]] = arith.extf %[[NEAR]]
// CHECK: %[[INEXACT:.*]] = arith.cmpf one, %[[BACK]]
// CHECK: %[[ODD:.*]] = arith.ori
// CHECK: arith.select %[[INEXACT]], %[[ODD]]
tile.kernel @double(%x: !tile.view<?xf64>, %y: !tile.view<?xf8E5M2>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf64> -> tensor<4xf64>
  %b = arith.truncf %a : tensor<4xf64> to tensor<4xf8E5M2>
  tile.store %b, %y[%i] : tensor<4xf8E5M2>, !tile.view<?xf8E5M2>
}

// -----

// Four bits lie in the low bits of a byte; what has no NaN makes 0 of it.
// CHECK-LABEL: tile.kernel @four
// CHECK-SAME: !tile.view<?xi8>
tile.kernel @four(%x: !tile.view<?xf4E2M1FN>, %y: !tile.view<?xf4E2M1FN>) {
  %i = tile.program_id : index
  // CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<4xi8>
  %a = tile.load %x[%i] : !tile.view<?xf4E2M1FN> -> tensor<4xf4E2M1FN>
  // CHECK: %[[SIGN:.*]] = arith.constant dense<8> : tensor<4xi8>
  // CHECK: %[[NEG:.*]] = arith.xori %[[X]], %[[SIGN]]
  %n = arith.negf %a : tensor<4xf4E2M1FN>
  // CHECK: arith.andi %{{.*}}, %{{.*}} : tensor<4xi32>
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
  %b = arith.addf %n, %a : tensor<4xf4E2M1FN>
  // CHECK: %[[NAN:.*]] = arith.cmpi ugt
  // CHECK: arith.select %[[NAN]], {{.*}} : tensor<4xi1>, tensor<4xi32>
  // CHECK: arith.trunci %{{.*}} : tensor<4xi32> to tensor<4xi8>
  tile.store %b, %y[%i] : tensor<4xf4E2M1FN>, !tile.view<?xf4E2M1FN>
}

// -----

// Scales are exponents of f32, but for the lowest, which is subnormal there, and NaN.
// CHECK-LABEL: tile.kernel @scale
// CHECK: %[[BITS:.*]] = arith.shli
// CHECK: arith.constant dense<4194304> : tensor<4xi32>
// CHECK: arith.constant dense<255> : tensor<4xi32>
// CHECK: arith.bitcast %{{.*}} : tensor<4xi32> to tensor<4xf32>
tile.kernel @scale(%x: !tile.view<?xf8E8M0FNU>, %y: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf8E8M0FNU> -> tensor<4xf8E8M0FNU>
  %b = arith.extf %a : tensor<4xf8E8M0FNU> to tensor<4xf32>
  tile.store %b, %y[%i] : tensor<4xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @refused(%x: !tile.view<?xf8E4M3FN>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf8E4M3FN> -> tensor<4xf8E4M3FN>
  // expected-error @+1 {{unsupported: a store that combines 8-bit floats}}
  tile.store %a, %x[%i] combine add : tensor<4xf8E4M3FN>, !tile.view<?xf8E4M3FN>
}

// -----

tile.kernel @refused_atomic(%p: !tile.ptr<f8E4M3FN>, %v: f8E4M3FN) {
  // expected-error @+1 {{unsupported: an atomic operation on 8-bit floats}}
  %old = tile.atomic_rmw max relaxed device %p, %v : !tile.ptr<f8E4M3FN>, f8E4M3FN
}

// -----

// Numbers of bf16 are the first half of those of f32: nothing is rounded.
// CHECK-LABEL: tile.kernel @to_bf16
// CHECK: arith.mulf {{.*}} : tensor<4xf32>
// CHECK: arith.bitcast %{{.*}} : tensor<4xf32> to tensor<4xi32>
// CHECK: %[[HIGH:.*]] = arith.shrui {{.*}} : tensor<4xi32>
// CHECK: %[[HALF:.*]] = arith.trunci %[[HIGH]] : tensor<4xi32> to tensor<4xi16>
// CHECK: arith.bitcast %[[HALF]] : tensor<4xi16> to tensor<4xbf16>
// CHECK-NOT: arith.truncf
tile.kernel @to_bf16(%x: !tile.view<?xf8E4M3FN>, %y: !tile.view<?xbf16>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf8E4M3FN> -> tensor<4xf8E4M3FN>
  %b = arith.extf %a : tensor<4xf8E4M3FN> to tensor<4xbf16>
  tile.store %b, %y[%i] : tensor<4xbf16>, !tile.view<?xbf16>
}

// -----

// f8E5M2 is the first byte of f16.
// CHECK-LABEL: tile.kernel @to_f16
// CHECK: %[[CODE:.*]] = arith.extui %{{.*}} : tensor<4xi8> to tensor<4xi16>
// CHECK: %[[MOVED:.*]] = arith.shli %[[CODE]], {{.*}} : tensor<4xi16>
// CHECK: %[[HALVES:.*]] = arith.bitcast %[[MOVED]] : tensor<4xi16> to tensor<4xf16>
// CHECK: tile.store %[[HALVES]]
tile.kernel @to_f16(%x: !tile.view<?xf8E5M2>, %y: !tile.view<?xf16>) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf8E5M2> -> tensor<4xf8E5M2>
  %b = arith.extf %a : tensor<4xf8E5M2> to tensor<4xf16>
  tile.store %b, %y[%i] : tensor<4xf16>, !tile.view<?xf16>
}

// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-contract))' | FileCheck %s
// CHECK-LABEL: @fuses
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32, %[[P:.*]]: !tile.ptr<f32>
tile.kernel @fuses(%x: f32, %y: f32, %z: f32, %p: !tile.ptr<f32>) attributes {numerics = #tile.numerics<contract = true>} {
  // CHECK-NEXT: %[[A:.*]] = math.fma %[[X]], %[[Y]], %[[Z]] : f32
  %m0 = arith.mulf %x, %y : f32
  %a = arith.addf %m0, %z : f32
  // CHECK-NEXT: %[[N:.*]] = arith.negf %[[A]]
  // CHECK-NEXT: %[[B:.*]] = math.fma %[[X]], %[[Z]], %[[N]] : f32
  %m1 = arith.mulf %x, %z : f32
  %b = arith.subf %m1, %a : f32
  // CHECK-NEXT: %[[N:.*]] = arith.negf %[[Y]]
  // CHECK-NEXT: %[[C:.*]] = math.fma %[[N]], %[[Y]], %[[B]] : f32
  %m2 = arith.mulf %y, %y : f32
  %c = arith.subf %b, %m2 : f32
  // A product with another use stays.
  // CHECK-NEXT: %[[M:.*]] = arith.mulf %[[C]], %[[C]]
  // CHECK-NEXT: %[[D:.*]] = arith.addf %[[M]], %[[M]]
  %m3 = arith.mulf %c, %c : f32
  %d = arith.addf %m3, %m3 : f32
  // CHECK-NEXT: tile.store_ptr %[[P]], %[[D]]
  tile.store_ptr %p, %d : !tile.ptr<f32>, f32
  tile.return
}

// CHECK-LABEL: @strict
// CHECK-NOT: math.fma
tile.kernel @strict(%x: f32, %y: f32, %z: f32, %p: !tile.ptr<f32>) {
  %m = arith.mulf %x, %y : f32
  %a = arith.addf %m, %z : f32
  tile.store_ptr %p, %a : !tile.ptr<f32>, f32
  tile.return
}

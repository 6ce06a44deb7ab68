// NaN among many numbers: CDNA adds up their squares, and compares once, where no instruction gives NaN. Numbers are paired
// in the order in which they were computed, so that results of a matrix instruction meet their neighbours.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx942},amd-lower-math)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx1100},amd-lower-math)' | FileCheck %s --check-prefix=RDNA
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=amd:gfx950},amd-lower-math)' | FileCheck %s --check-prefix=CDNA4

// CHECK-LABEL: func.func @many
// CHECK-DAG: %[[E0:.*]] = llvm.extractelement %arg0[%{{.*}} : i32]
// CHECK-COUNT-7: llvm.call_intrinsic "llvm.maximumnum"({{.*}}) {{.*}}nnan
// CHECK: %[[S0:.*]] = arith.mulf %[[X0:.*]], %[[X0]] : f32
// CHECK: %[[S1:.*]] = arith.mulf %[[X1:.*]], %[[X1]] : f32
// CHECK: %[[S2:.*]] = math.fma %[[X2:.*]], %[[X2]], %[[S0]] : f32
// CHECK: %[[S3:.*]] = math.fma %[[X3:.*]], %[[X3]], %[[S1]] : f32
// CHECK: %[[S4:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S2]] : f32
// CHECK: %[[S5:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S3]] : f32
// CHECK: %[[S6:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S4]] : f32
// CHECK: %[[S7:.*]] = math.fma %{{.*}}, %{{.*}}, %[[S5]] : f32
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[S6]], %[[S7]] : f32
// CHECK: arith.select %[[NAN]]
// RDNA-LABEL: func.func @many
// RDNA-COUNT-4: arith.cmpf uno
// RDNA-NOT: math.fma
// RDNA-LABEL: func.func @few
// CDNA4-LABEL: func.func @many
// CDNA4-COUNT-7: llvm.call_intrinsic "llvm.maximum"
// CDNA4-NOT: math.fma
func.func @many(%v: vector<8xf32>) -> f32 {
  %i0 = llvm.mlir.constant(0 : i32) : i32
  %i1 = llvm.mlir.constant(1 : i32) : i32
  %i2 = llvm.mlir.constant(2 : i32) : i32
  %i3 = llvm.mlir.constant(3 : i32) : i32
  %i4 = llvm.mlir.constant(4 : i32) : i32
  %i5 = llvm.mlir.constant(5 : i32) : i32
  %i6 = llvm.mlir.constant(6 : i32) : i32
  %i7 = llvm.mlir.constant(7 : i32) : i32
  %x0 = llvm.extractelement %v[%i0 : i32] : vector<8xf32>
  %x1 = llvm.extractelement %v[%i1 : i32] : vector<8xf32>
  %x2 = llvm.extractelement %v[%i2 : i32] : vector<8xf32>
  %x3 = llvm.extractelement %v[%i3 : i32] : vector<8xf32>
  %x4 = llvm.extractelement %v[%i4 : i32] : vector<8xf32>
  %x5 = llvm.extractelement %v[%i5 : i32] : vector<8xf32>
  %x6 = llvm.extractelement %v[%i6 : i32] : vector<8xf32>
  %x7 = llvm.extractelement %v[%i7 : i32] : vector<8xf32>
  %a = arith.maximumf %x0, %x4 : f32
  %b = arith.maximumf %x1, %x5 : f32
  %c = arith.maximumf %x2, %x6 : f32
  %d = arith.maximumf %x3, %x7 : f32
  %e = arith.maximumf %a, %c : f32
  %f = arith.maximumf %b, %d : f32
  %g = arith.maximumf %e, %f : f32
  return %g : f32
}

// Of a few numbers, two are compared at a time.
// CHECK-LABEL: func.func @few
// CHECK-NOT: math.fma
func.func @few(%a: f32, %b: f32, %c: f32) -> f32 {
  %0 = arith.maximumf %a, %b : f32
  %1 = arith.maximumf %0, %c : f32
  return %1 : f32
}

// One instruction takes three numbers: a tree of pairs becomes one of threes, in the order of the numbers. What is used
// elsewhere stays a number of its own, and so do the numbers of another operation.
// CDNA4-LABEL: func.func @threes
// CDNA4-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32, %[[E:.*]]: f32)
// CDNA4: %[[AB:.*]] = llvm.call_intrinsic "llvm.maximum"(%[[A]], %[[B]])
// CDNA4: %[[ABC:.*]] = llvm.call_intrinsic "llvm.maximum"(%[[AB]], %[[C]])
// CDNA4: %[[ABCD:.*]] = llvm.call_intrinsic "llvm.maximum"(%[[ABC]], %[[D]])
// CDNA4: llvm.call_intrinsic "llvm.maximum"(%[[ABCD]], %[[E]])
func.func @threes(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32) -> f32 {
  %0 = arith.maximumf %a, %b : f32
  %1 = arith.maximumf %c, %d : f32
  %2 = arith.maximumf %0, %1 : f32
  %3 = arith.maximumf %2, %e : f32
  return %3 : f32
}

// CDNA4-LABEL: func.func @used
// CDNA4-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32)
// CDNA4: %[[AB:.*]] = llvm.call_intrinsic "llvm.maximum"(%[[A]], %[[B]])
// CDNA4: %[[CD:.*]] = llvm.call_intrinsic "llvm.minimum"(%[[C]], %[[D]])
// CDNA4: llvm.call_intrinsic "llvm.maximum"(%[[AB]], %[[CD]])
func.func @used(%a: f32, %b: f32, %c: f32, %d: f32) -> (f32, f32) {
  %0 = arith.maximumf %a, %b : f32
  %1 = arith.minimumf %c, %d : f32
  %2 = arith.maximumf %0, %1 : f32
  return %0, %2 : f32, f32
}

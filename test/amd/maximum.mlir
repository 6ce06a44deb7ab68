// The larger and the smaller of two numbers: NaN if one is, and +0 above -0, also where LLVM has no instruction for it.
// RUN: kiln-opt %s --amd-lower-math | FileCheck %s

// CHECK-LABEL: func.func @larger
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32)
func.func @larger(%x: f32, %y: f32) -> f32 {
  // CHECK: %[[N:.*]] = llvm.call_intrinsic "llvm.maximumnum"(%[[X]], %[[Y]])
  // CHECK: %[[U:.*]] = arith.cmpf uno, %[[X]], %[[Y]] : f32
  // CHECK: %[[Q:.*]] = arith.constant 0x7FC00000 : f32
  // CHECK: arith.select %[[U]], %[[Q]], %[[N]] : f32
  %0 = arith.maximumf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @smaller
func.func @smaller(%x: vector<2xf16>, %y: vector<2xf16>) -> vector<2xf16> {
  // CHECK: llvm.call_intrinsic "llvm.minimumnum"
  // CHECK: arith.select {{.*}} : vector<2xi1>, vector<2xf16>
  %0 = arith.minimumf %x, %y : vector<2xf16>
  return %0 : vector<2xf16>
}

// CHECK-LABEL: func.func @number
func.func @number(%x: bf16, %y: bf16) -> bf16 {
  // CHECK: llvm.call_intrinsic "llvm.maximumnum"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
  // CHECK-NOT: arith.select
  %0 = arith.maxnumf %x, %y : bf16
  return %0 : bf16
}

// NaN is looked for once in a chain, two numbers at a time.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32)
func.func @chain(%a: f32, %b: f32, %c: f32, %d: f32) -> f32 {
  // CHECK-COUNT-3: llvm.maximumnum"({{.*}}) {{.*}}nnan
  // CHECK: %[[X:.*]] = arith.cmpf uno, %[[A]], %[[B]] : f32
  // CHECK: %[[Y:.*]] = arith.cmpf uno, %[[C]], %[[D]] : f32
  // CHECK: %[[ANY:.*]] = arith.ori %[[X]], %[[Y]] : i1
  // CHECK: arith.select %[[ANY]],
  // CHECK-NOT: arith.select
  %0 = arith.maximumf %a, %b : f32
  %1 = arith.maximumf %c, %d : f32
  %2 = arith.maximumf %0, %1 : f32
  return %2 : f32
}

// Other users of an inner result need it with NaN.
// CHECK-LABEL: func.func @shared
func.func @shared(%a: f32, %b: f32, %c: f32) -> (f32, f32) {
  // CHECK-COUNT-2: arith.select
  %0 = arith.maximumf %a, %b : f32
  %1 = arith.maximumf %0, %c : f32
  return %0, %1 : f32, f32
}

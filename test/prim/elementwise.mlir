// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @clamp
func.func @clamp(%x: tensor<4xf32>, %i: tensor<?xi8>) -> (tensor<4xf32>, tensor<?xi8>) {
  // CHECK: prim.clamp %{{.*}} min 0.000000e+00 : f32 max 6.000000e+00 : f32 ignore_nan : tensor<4xf32>
  %0 = prim.clamp %x min 0.0 : f32 max 6.0 : f32 ignore_nan : tensor<4xf32>
  // CHECK: prim.clamp %{{.*}} min 1 : i8 max -1 : i8 unsigned : tensor<?xi8>
  %1 = prim.clamp %i min 1 : i8 max -1 : i8 unsigned : tensor<?xi8>
  return %0, %1 : tensor<4xf32>, tensor<?xi8>
}

// Adding +0.0 changes -0.0; adding -0.0 changes nothing.
// FOLD-LABEL: func.func @zeros
// FOLD: %[[ZERO:.*]] = prim.constant dense<0.000000e+00>
// FOLD: %[[SUM:.*]] = prim.add %arg0, %[[ZERO]]
// FOLD: return %[[SUM]], %arg0, %arg0 :
func.func @zeros(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %p = prim.constant dense<0.0> : tensor<4xf32>
  %n = prim.constant dense<-0.0> : tensor<4xf32>
  %0 = prim.add %x, %p : tensor<4xf32>
  %1 = prim.add %x, %n : tensor<4xf32>
  %2 = prim.sub %x, %p : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A sum and a power of e have no -0.0 to lose.
// FOLD-LABEL: func.func @harmless_zeros
// FOLD-NOT: prim.add
// FOLD: return
func.func @harmless_zeros(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %z = prim.constant dense<0.0> : tensor<4xf32>
  %zz = prim.constant dense<0.0> : tensor<4x8xf32>
  %0 = prim.sum %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = prim.add %z, %0 : tensor<4xf32>
  %2 = prim.exp %x : tensor<4x8xf32>
  %3 = prim.add %2, %zz : tensor<4x8xf32>
  return %1, %3 : tensor<4xf32>, tensor<4x8xf32>
}

// FOLD-LABEL: func.func @neutral
// FOLD: return %arg0, %arg0, %arg1, %arg0 :
func.func @neutral(%x: tensor<?xf32>, %i: tensor<4xi32>, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<4xi32>, tensor<?xf32>) {
  %one = prim.full 1.0 : f32 sizes (%n) : tensor<?xf32>
  %low = prim.full 0xFF800000 : f32 sizes (%n) : tensor<?xf32>
  %min = prim.constant dense<-2147483648> : tensor<4xi32>
  %0 = prim.mul %one, %x : tensor<?xf32>
  %1 = prim.maximum %low, %x : tensor<?xf32>
  %2 = prim.maximum %i, %min : tensor<4xi32>
  %3 = prim.neg %x : tensor<?xf32>
  %4 = prim.neg %3 : tensor<?xf32>
  return %0, %1, %2, %4 : tensor<?xf32>, tensor<?xf32>, tensor<4xi32>, tensor<?xf32>
}

// Rounded once, in the type: 1/3 in bf16 and rsqrt(1536) in f32.
// FOLD-LABEL: func.func @constants
// FOLD-DAG: prim.constant dense<3.339840e-01> : tensor<bf16>
// FOLD-DAG: prim.constant dense<0.0255155191> : tensor<2xf32>
// FOLD-DAG: prim.constant dense<[-128, 127]> : tensor<2xi8>
// FOLD-DAG: prim.constant dense<[true, false]> : tensor<2xi1>
func.func @constants() -> (tensor<bf16>, tensor<2xf32>, tensor<2xi8>, tensor<2xi1>) {
  %three = prim.constant dense<3.0> : tensor<bf16>
  %0 = prim.reciprocal %three : tensor<bf16>
  %n = prim.constant dense<1536.0> : tensor<2xf32>
  %1 = prim.rsqrt %n : tensor<2xf32>
  %a = prim.constant dense<[127, -128]> : tensor<2xi8>
  %one = prim.constant dense<[1, -1]> : tensor<2xi8>
  %2 = prim.add %a, %one : tensor<2xi8>
  %3 = prim.gt %a, %2 : tensor<2xi8> -> tensor<2xi1>
  return %0, %1, %2, %3 : tensor<bf16>, tensor<2xf32>, tensor<2xi8>, tensor<2xi1>
}

// FOLD-LABEL: func.func @powers
// FOLD: %[[SQUARE:.*]] = prim.mul %arg0, %arg0
// FOLD: %[[POW:.*]] = prim.pow
// FOLD: return %[[SQUARE]], %[[POW]] :
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = prim.constant dense<2.0> : tensor<4xf32>
  %half = prim.constant dense<0.5> : tensor<4xf32>
  %0 = prim.pow %x, %two : tensor<4xf32>
  // The square root of -inf is NaN, this power of it is inf.
  %1 = prim.pow %x, %half : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @unsigned
// CHECK: prim.div %{{.*}}, %{{.*}} unsigned : tensor<4xi8>
// CHECK: prim.remainder %{{.*}}, %{{.*}} unsigned : tensor<4xi8>
// CHECK: prim.fmod %{{.*}}, %{{.*}} unsigned : tensor<4xi8>
// CHECK: prim.maximum %{{.*}}, %{{.*}} unsigned : tensor<4xi8>
// CHECK: prim.minimum %{{.*}}, %{{.*}} unsigned : tensor<4xi8>
// CHECK: prim.gcd %{{.*}}, %{{.*}} : tensor<4xi8>
func.func @unsigned(%a: tensor<4xi8>, %b: tensor<4xi8>) {
  %0 = prim.div %a, %b unsigned : tensor<4xi8>
  %1 = prim.remainder %a, %b unsigned : tensor<4xi8>
  %2 = prim.fmod %a, %b unsigned : tensor<4xi8>
  %3 = prim.maximum %a, %b unsigned : tensor<4xi8>
  %4 = prim.minimum %a, %b unsigned : tensor<4xi8>
  %5 = prim.gcd %a, %b : tensor<4xi8>
  return
}

// -1 is the largest unsigned integer, and neutral for the minimum; 0 is for the maximum.
// FOLD-LABEL: func.func @unsigned_constants
// FOLD-DAG: %[[Q:.*]] = prim.constant dense<127> : tensor<i8>
// FOLD-DAG: %[[M:.*]] = prim.constant dense<-1> : tensor<i8>
// FOLD-DAG: %[[L:.*]] = prim.constant dense<false> : tensor<i1>
// FOLD-DAG: %[[G:.*]] = prim.constant dense<6> : tensor<i8>
// FOLD: return %[[Q]], %[[M]], %[[L]], %arg0, %arg0, %[[G]] :
func.func @unsigned_constants(%x: tensor<i8>)
    -> (tensor<i8>, tensor<i8>, tensor<i1>, tensor<i8>, tensor<i8>, tensor<i8>) {
  %all = prim.constant dense<-1> : tensor<i8>
  %two = prim.constant dense<2> : tensor<i8>
  %zero = prim.constant dense<0> : tensor<i8>
  %0 = prim.div %all, %two unsigned : tensor<i8>
  %1 = prim.maximum %two, %all unsigned : tensor<i8>
  %2 = prim.lt %all, %two unsigned : tensor<i8> -> tensor<i1>
  %3 = prim.minimum %x, %all unsigned : tensor<i8>
  %4 = prim.maximum %zero, %x unsigned : tensor<i8>
  %a = prim.constant dense<-12> : tensor<i8>
  %b = prim.constant dense<18> : tensor<i8>
  %5 = prim.gcd %a, %b : tensor<i8>
  return %0, %1, %2, %3, %4, %5 : tensor<i8>, tensor<i8>, tensor<i1>, tensor<i8>, tensor<i8>, tensor<i8>
}

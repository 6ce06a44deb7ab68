// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @branch
func.func @branch(%p: tensor<i1>, %x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  // CHECK: prim.if %{{.*}} sizes(%{{.*}}) : tensor<i1> -> (tensor<?xf32>) {
  %r = prim.if %p sizes (%n) : tensor<i1> -> (tensor<?xf32>) {
    prim.yield %x : tensor<?xf32>
  } else {
    // CHECK: } else {
    %0 = prim.neg %x : tensor<?xf32>
    prim.yield %0 : tensor<?xf32>
  }
  // CHECK: prim.if %{{.*}} : tensor<i1> {
  prim.if %p : tensor<i1> {
    prim.yield
  } else {
    prim.yield
  }
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @loop
func.func @loop(%i: tensor<i32>, %x: tensor<?xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  // CHECK: prim.while(%{{.*}}, %{{.*}}) : (tensor<i32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) {
  %r:2 = prim.while (%i, %x) : (tensor<i32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) {
  ^bb0(%j: tensor<i32>, %y: tensor<?xf32>):
    %p = prim.lt %j, %n : tensor<i32> -> tensor<i1>
    prim.yield %p : tensor<i1>
  } do {
    // CHECK: } do {
  ^bb0(%j: tensor<i32>, %y: tensor<?xf32>):
    %k = prim.add %j, %j : tensor<i32>
    prim.yield %k, %y : tensor<i32>, tensor<?xf32>
  }
  return %r#1 : tensor<?xf32>
}

// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s

// The host calls between launches, also where nothing uses the results.
// CHECK-LABEL: program.func @main
// CHECK: program.launch
// CHECK: program.host "callback" flags ["triple"](%[[X:.*]]) to(%{{.*}}) : memref<2x2xf32> to memref<2x2xf32>
// CHECK: program.host "callback" flags ["triple"](%[[X]]) to(%{{.*}}) : memref<2x2xf32> to memref<2x2xf32>
// CHECK: program.host "callback" flags ["log"](%[[X]]) to() : memref<2x2xf32> to
// CHECK: program.launch
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = prim.neg %x : tensor<2x2xf32>
  %1 = prim.callback "triple"(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = prim.callback "triple"(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  prim.callback "log"(%0) : (tensor<2x2xf32>) -> ()
  %3 = prim.neg %1 : tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// A loop whose steps call is the host's, though its tensors are small, and a branch likewise.
// CHECK-LABEL: program.func @loop
// CHECK: scf.while
// CHECK: program.host "callback" flags ["step"]
// CHECK: scf.if
// CHECK: program.host "callback" flags ["even"]
func.func @loop(%n: tensor<i32>) -> tensor<i32> {
  %zero = prim.full 0 : i32 : tensor<i32>
  %r = prim.while(%zero) : (tensor<i32>) -> (tensor<i32>) {
  ^bb0(%i: tensor<i32>):
    %c = prim.lt %i, %n : tensor<i32> -> tensor<i1>
    prim.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    prim.callback "step"(%i) : (tensor<i32>) -> ()
    %one = prim.full 1 : i32 : tensor<i32>
    %rest = prim.bitwise_and %i, %one : tensor<i32>
    %even = prim.lt %rest, %one : tensor<i32> -> tensor<i1>
    prim.if %even : tensor<i1> {
      prim.callback "even"(%i) : (tensor<i32>) -> ()
      prim.yield
    } else {
      prim.yield
    }
    %next = prim.add %i, %one : tensor<i32>
    prim.yield %next : tensor<i32>
  }
  return %r : tensor<i32>
}

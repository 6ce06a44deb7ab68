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

// What reaches outside of the program prints as it is read.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @outside
tile.kernel @outside(%x: f32, %n: i32, %on: i1) {
  %a = tile.splat %x : tensor<8xf32>
  %m = tile.splat %on : tensor<8xi1>
  // CHECK: tile.convert_float %{{.*}} nearest_even saturate : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %f = tile.convert_float %a nearest_even saturate : tensor<8xf32> -> tensor<8xf8E4M3FN>
  // CHECK: tile.call_extern "hypot" from "" pure(%{{.*}}, %{{.*}}) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %h = tile.call_extern "hypot" from "" pure (%a, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tile.inline_asm "neg.f32 $0, $1;" isa "ptx" constraints "=f,f" pack 2 pure(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
  %i = tile.inline_asm "neg.f32 $0, $1;" isa "ptx" constraints "=f,f" pack 2 pure (%a) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tile.assert %{{.*}}, "in range" : tensor<8xi1>
  tile.assert %m, "in range" : tensor<8xi1>
  // CHECK: tile.print "x" hex %{{.*}}, %{{.*}} unsigned [false, true] : tensor<8xf32>, i32
  tile.print "x" hex %h, %n unsigned [false, true] : tensor<8xf32>, i32
}

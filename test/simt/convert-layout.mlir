// A layout conversion prints and parses again; to the same layout it is its operand.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

#lanes = #simt.layout<rank = 1, register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#turned = #simt.layout<rank = 1, register = [], lane = [[16], [8], [4], [2], [1]], warp = []>

// CHECK-LABEL: func.func @convert
// FOLD-LABEL: func.func @convert
func.func @convert(%x: tensor<32xf32, #lanes>) -> (tensor<32xf32, #turned>, tensor<32xf32, #lanes>) {
  // CHECK: simt.convert_layout %{{.*}} : tensor<32xf32, #simt.layout<rank = 1, register = [], lane = {{\[\[}}1], [2], {{.*}} -> tensor<32xf32, #simt.layout<rank = 1, register = [], lane = {{\[\[}}16], [8],
  // FOLD: %[[Y:.*]] = simt.convert_layout %arg0
  // FOLD-NEXT: return %[[Y]], %arg0
  %y = simt.convert_layout %x : tensor<32xf32, #lanes> -> tensor<32xf32, #turned>
  %z = simt.convert_layout %x : tensor<32xf32, #lanes> -> tensor<32xf32, #lanes>
  return %y, %z : tensor<32xf32, #turned>, tensor<32xf32, #lanes>
}

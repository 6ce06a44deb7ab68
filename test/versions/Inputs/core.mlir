// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of MLIR whose properties changed between versions of LLVM, or may. The file core.mlirbc is this one.
#map = affine_map<(d0) -> (d0)>
func.func @numbers(%x: f32, %i: i32, %n: index) -> (f32, i32) {
  %c1 = arith.constant 1 : index
  %0 = arith.mulf %x, %x fastmath<contract> : f32
  %1 = arith.addi %i, %i overflow<nsw> : i32
  %2 = math.exp %0 fastmath<afn> : f32
  %3:2 = scf.for %k = %c1 to %n step %c1 iter_args(%a = %2, %b = %1) -> (f32, i32) {
    %4 = arith.cmpi slt, %b, %i : i32
    %5 = scf.if %4 -> f32 {
      %6 = arith.maximumf %a, %x : f32
      scf.yield %6 : f32
    } else {
      scf.yield %a : f32
    }
    %7 = arith.select %4, %b, %1 : i32
    scf.yield %5, %7 : f32, i32
  }
  return %3#0, %3#1 : f32, i32
}
func.func @tensors(%x: tensor<4x8xf32>, %d: tensor<?xf32>) -> (tensor<4x8xf32>, tensor<?xf32>) {
  %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %row = tensor.expand_shape %table [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %b = tensor.insert_slice %row into %x[2, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %d, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%d : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %l = math.log %a : f32
    linalg.yield %l : f32
  } -> tensor<?xf32>
  return %b, %r : tensor<4x8xf32>, tensor<?xf32>
}

// Three kernels: systolic computes the first; the second needs f64, the third reads by indices.
func.func @main(%x: tensor<64x100xf32>, %i: tensor<20xi32>) -> (tensor<64x100xf32>, tensor<64x100xf64>, tensor<20x100xf32>) {
  %e = prim.exp %x : tensor<64x100xf32>
  %d = prim.convert_element_type %x : tensor<64x100xf32> -> tensor<64x100xf64>
  %w = prim.mul %d, %d : tensor<64x100xf64>
  %g = prim.gather %x, %i dim 0 batch_dims 0 : tensor<64x100xf32>, tensor<20xi32> -> tensor<20x100xf32>
  return %e, %w, %g : tensor<64x100xf32>, tensor<64x100xf64>, tensor<20x100xf32>
}

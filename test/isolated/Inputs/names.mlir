// "größe" in UTF-8.
func.func @"gr\C3\B6\C3\9Fe"(%x: tensor<100xf32>) -> tensor<100xf32> {
  %0 = prim.add %x, %x : tensor<100xf32>
  return %0 : tensor<100xf32>
}

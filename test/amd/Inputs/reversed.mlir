func.func @smallest(%x: tensor<5x6xi64>, %places: tensor<3x11x2xi32>, %updates: tensor<3x11x1x1xi64>) -> tensor<5x6xi64> {
  %r = prim.scatter min %x, %places, %updates dims [0, 1] batch_dims 0
    : tensor<5x6xi64>, tensor<3x11x2xi32>, tensor<3x11x1x1xi64>
  return %r : tensor<5x6xi64>
}

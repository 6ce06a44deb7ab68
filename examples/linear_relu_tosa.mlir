// A linear layer with bias and ReLU: relu(x * w + b). The page stages.md shows it at every stage.
func.func @main(%x: tensor<64x256xf32>, %w: tensor<256x128xf32>, %b: tensor<1x128xf32>) -> tensor<64x128xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s0 = tosa.const_shape {values = dense<[1, 64, 256]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s1 = tosa.const_shape {values = dense<[1, 256, 128]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s2 = tosa.const_shape {values = dense<[64, 128]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %x3 = tosa.reshape %x, %s0 : (tensor<64x256xf32>, !tosa.shape<3>) -> tensor<1x64x256xf32>
  %w3 = tosa.reshape %w, %s1 : (tensor<256x128xf32>, !tosa.shape<3>) -> tensor<1x256x128xf32>
  %m = tosa.matmul %x3, %w3, %zp, %zp : (tensor<1x64x256xf32>, tensor<1x256x128xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x128xf32>
  %m2 = tosa.reshape %m, %s2 : (tensor<1x64x128xf32>, !tosa.shape<2>) -> tensor<64x128xf32>
  %a = tosa.add %m2, %b : (tensor<64x128xf32>, tensor<1x128xf32>) -> tensor<64x128xf32>
  %r = tosa.clamp %a {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

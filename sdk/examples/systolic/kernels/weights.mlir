// A linear layer whose weights are known: they are packed while it is compiled.
// kiln-run: --elided=random
func.func @main(%x: tensor<64x256xf32>) -> tensor<64x200xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %w = "tosa.const"() <{values = dense_resource<__elided__> : tensor<1x256x200xf32>}> : () -> tensor<1x256x200xf32>
  %b = "tosa.const"() <{values = dense<0.5> : tensor<1x200xf32>}> : () -> tensor<1x200xf32>
  %s0 = tosa.const_shape {values = dense<[1, 64, 256]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s2 = tosa.const_shape {values = dense<[64, 200]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %x3 = tosa.reshape %x, %s0 : (tensor<64x256xf32>, !tosa.shape<3>) -> tensor<1x64x256xf32>
  %m = tosa.matmul %x3, %w, %zp, %zp : (tensor<1x64x256xf32>, tensor<1x256x200xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x64x200xf32>
  %m2 = tosa.reshape %m, %s2 : (tensor<1x64x200xf32>, !tosa.shape<2>) -> tensor<64x200xf32>
  %a = tosa.add %m2, %b : (tensor<64x200xf32>, tensor<1x200xf32>) -> tensor<64x200xf32>
  return %a : tensor<64x200xf32>
}

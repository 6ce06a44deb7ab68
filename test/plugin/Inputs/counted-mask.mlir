// A mask of what a plug-in counts.
func.func @main(%q: tensor<4x512x64xf32>, %k: tensor<4x512x64xf32>, %v: tensor<4x512x64xf32>) -> tensor<4x512x64xf32> {
  %i = prim.iota dim 0 : tensor<512x512xi32>
  %j = tensors.count dim 1 : tensor<512x512xi32>
  %c = prim.ge %i, %j : tensor<512x512xi32> -> tensor<512x512xi1>
  %z = prim.full 0.0 : f32 : tensor<512x512xf32>
  %n = prim.full 0xFF800000 : f32 : tensor<512x512xf32>
  %w = prim.where %c, %z, %n : tensor<512x512xi1>, tensor<512x512xf32>
  %m = prim.broadcast_in_dim %w dims [1, 2] : tensor<512x512xf32> -> tensor<4x512x512xf32>
  %r = prim.attention %q, %k, %v mask %m scale 0.125 : tensor<4x512x64xf32>, tensor<4x512x64xf32>, tensor<4x512x64xf32>, tensor<4x512x512xf32> -> tensor<4x512x64xf32>
  return %r : tensor<4x512x64xf32>
}

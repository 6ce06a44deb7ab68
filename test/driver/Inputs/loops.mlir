#m = affine_map<(d0, d1) -> (d0, d1)>
func.func private @helper(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = math.exp %x : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func @main(%x: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x4xf32>
  %z = func.call @helper(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> tensor<4x4xf32> {
    %q = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel", "parallel"]} ins(%a, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%u: f32, %v: f32, %w: f32):
      %1 = arith.addf %u, %v : f32
      %2 = math.tanh %1 : f32
      %3 = math.cbrt %2 : f32
      linalg.yield %3 : f32
    } -> tensor<4x4xf32>
    scf.yield %q : tensor<4x4xf32>
  }
  %cond = arith.cmpi eq, %n, %c0 : index
  %s = scf.if %cond -> tensor<4x4xf32> {
    scf.yield %r : tensor<4x4xf32>
  } else {
    %4 = arith.addf %r, %r : tensor<4x4xf32>
    scf.yield %4 : tensor<4x4xf32>
  }
  return %s : tensor<4x4xf32>
}

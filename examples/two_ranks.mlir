// A layer of two products whose weights are split between two ranks: the first by columns, the second by rows. One
// sum of the ranks' halves gives both the result of the whole layer. Run it with
//   kiln-run examples/two_ranks.mlir --target=cpu --ranks=2 --check
func.func @layer(%x: tensor<32x64xf32>, %up: tensor<64x128xf32>, %down: tensor<128x64xf32>) -> tensor<32x64xf32> {
  %h = prim.dot_general %x, %up batch [] x [] contract [1] x [0] : tensor<32x64xf32>, tensor<64x128xf32> -> tensor<32x128xf32>
  %a = prim.silu %h : tensor<32x128xf32>
  %y = prim.dot_general %a, %down batch [] x [] contract [1] x [0] : tensor<32x128xf32>, tensor<128x64xf32> -> tensor<32x64xf32>
  %sum = prim.all_reduce add %y groups [[0, 1]] : tensor<32x64xf32>
  return %sum : tensor<32x64xf32>
}

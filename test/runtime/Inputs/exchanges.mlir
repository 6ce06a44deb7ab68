// One of each exchange between three ranks.
func.func @f(%x: tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x15xf32>, tensor<2x5xf32>, tensor<2x15xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<i32>) {
  %y = prim.exp %x : tensor<6x5xf32>
  %0 = prim.all_reduce add %y groups [[0, 1, 2]] : tensor<6x5xf32>
  %n = prim.neg %x : tensor<6x5xf32>
  %1 = prim.all_gather %n dim 1 groups [[0, 1, 2]] : tensor<6x5xf32> -> tensor<6x15xf32>
  %2 = prim.reduce_scatter max %x dim 0 groups [[0, 1, 2]] : tensor<6x5xf32> -> tensor<2x5xf32>
  %3 = prim.all_to_all %x split 0 concat 1 groups [[0, 1, 2]] : tensor<6x5xf32> -> tensor<2x15xf32>
  %4 = prim.broadcast %x groups [[1, 0, 2]] : tensor<6x5xf32>
  %5 = prim.permute %x pairs [[0, 1], [1, 2]] : tensor<6x5xf32>
  %6 = prim.rank : tensor<i32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<6x5xf32>, tensor<6x15xf32>, tensor<2x5xf32>, tensor<2x15xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<i32>
}

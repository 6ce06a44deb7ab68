// The product goes through LDS to the layout of the store, where it takes the place of the factors.
tile.kernel @exchange_product(%a: !tile.view<3x335x2xf32>, %b: !tile.view<3x335x2xf32>, %to: !tile.view<3x2x335xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x2xf32>
  %factor = arith.constant dense<0.5> : tensor<2x2xf32>
  %c0 = arith.constant 0 : index
  %at:2 = tile.program_id : index, index
  %left = tile.load %a[%at#1, %at#0, %c0] : !tile.view<3x335x2xf32> -> tensor<32x2xf32>
  %made = tile.dot %left, %factor, %zero : tensor<32x2xf32>, tensor<2x2xf32>, tensor<32x2xf32>
  %other = tile.load %b[%at#1, %at#0, %c0] : !tile.view<3x335x2xf32> -> tensor<32x2xf32>
  %rest = arith.subf %other, %made : tensor<32x2xf32>
  %turned = tile.transpose %rest [1, 0] : tensor<32x2xf32> -> tensor<2x32xf32>
  tile.store %turned, %to[%at#1, %c0, %at#0] : tensor<2x32xf32>, !tile.view<3x2x335xf32>
}

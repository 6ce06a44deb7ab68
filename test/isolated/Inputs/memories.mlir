// A block of a matmul whose operands do not fill 8 columns of the view.
tile.kernel @product(%a: !tile.view<7x8xf32> {tile.readonly}, %b: !tile.view<8x5xf32> {tile.readonly}, %c: !tile.view<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<7x8xf32> -> tensor<8x8xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<8x5xf32> -> tensor<8x8xf32>
  %sum = tile.dot %x, %y, %zero : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  tile.store %sum, %c[%c0, %c0] : tensor<8x8xf32>, !tile.view<8x8xf32>
}
tile.kernel @square(%a: !tile.view<8x8xf32> {tile.readonly}, %c: !tile.view<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<8x8xf32> -> tensor<8x8xf32>
  %sum = tile.dot %x, %x, %zero : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  tile.store %sum, %c[%c0, %c0] : tensor<8x8xf32>, !tile.view<8x8xf32>
}
tile.kernel @bytes(%a: !tile.view<8x8xi8> {tile.readonly}, %c: !tile.view<8x8xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<8x8xi32>
  %x = tile.load %a[%c0, %c0] : !tile.view<8x8xi8> -> tensor<8x8xi8>
  %sum = tile.dot %x, %x, %zero lhs_unsigned : tensor<8x8xi8>, tensor<8x8xi8>, tensor<8x8xi32>
  tile.store %sum, %c[%c0, %c0] : tensor<8x8xi32>, !tile.view<8x8xi32>
}
tile.kernel @negated(%a: !tile.view<7x8xf32> {tile.readonly}, %b: !tile.view<8x5xf32> {tile.readonly}, %c: !tile.view<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<7x8xf32> -> tensor<8x8xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<8x5xf32> -> tensor<8x8xf32>
  %acc = arith.negf %y : tensor<8x8xf32>
  %sum = tile.dot %x, %y, %acc : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  tile.store %sum, %c[%c0, %c0] : tensor<8x8xf32>, !tile.view<8x8xf32>
}
// An operand that is loaded with a further dimension is read where the transfer put it.
tile.kernel @shaped(%a: !tile.view<7x8xf32> {tile.readonly}, %b: !tile.view<8x1x5xf32> {tile.readonly}, %c: !tile.view<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<7x8xf32> -> tensor<8x8xf32>
  %y = tile.load %b[%c0, %c0, %c0] : !tile.view<8x1x5xf32> -> tensor<8x1x8xf32>
  %rhs = tile.reshape %y : tensor<8x1x8xf32> -> tensor<8x8xf32>
  %sum = tile.dot %x, %rhs, %zero : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  tile.store %sum, %c[%c0, %c0] : tensor<8x8xf32>, !tile.view<8x8xf32>
}

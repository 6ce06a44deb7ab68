// Products of types that matrix instructions take, of sizes that are no multiples of theirs.

tile.kernel @f32(%x: !tile.view<37x41xf32> {tile.readonly}, %y: !tile.view<41x53xf32> {tile.readonly}, %z: !tile.view<37x53xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<37x53xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<37x41xf32> -> tensor<37x41xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<41x53xf32> -> tensor<41x53xf32>
  %d = tile.dot %a, %b, %zero : tensor<37x41xf32>, tensor<41x53xf32>, tensor<37x53xf32>
  tile.store %d, %z[%c0, %c0] : tensor<37x53xf32>, !tile.view<37x53xf32>
}

tile.kernel @bf16(%x: !tile.view<37x41xbf16> {tile.readonly}, %y: !tile.view<41x53xbf16> {tile.readonly}, %z: !tile.view<37x53xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<37x53xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<37x41xbf16> -> tensor<37x41xbf16>
  %b = tile.load %y[%c0, %c0] : !tile.view<41x53xbf16> -> tensor<41x53xbf16>
  %d = tile.dot %a, %b, %zero : tensor<37x41xbf16>, tensor<41x53xbf16>, tensor<37x53xf32>
  tile.store %d, %z[%c0, %c0] : tensor<37x53xf32>, !tile.view<37x53xf32>
}

tile.kernel @f16(%x: !tile.view<37x41xf16> {tile.readonly}, %y: !tile.view<41x53xf16> {tile.readonly}, %z: !tile.view<37x53xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<37x53xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<37x41xf16> -> tensor<37x41xf16>
  %b = tile.load %y[%c0, %c0] : !tile.view<41x53xf16> -> tensor<41x53xf16>
  %d = tile.dot %a, %b, %zero : tensor<37x41xf16>, tensor<41x53xf16>, tensor<37x53xf32>
  tile.store %d, %z[%c0, %c0] : tensor<37x53xf32>, !tile.view<37x53xf32>
}

tile.kernel @signed(%x: !tile.view<37x41xi8> {tile.readonly}, %y: !tile.view<41x53xi8> {tile.readonly}, %z: !tile.view<37x53xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<37x53xi32>
  %a = tile.load %x[%c0, %c0] : !tile.view<37x41xi8> -> tensor<37x41xi8>
  %b = tile.load %y[%c0, %c0] : !tile.view<41x53xi8> -> tensor<41x53xi8>
  %d = tile.dot %a, %b, %zero : tensor<37x41xi8>, tensor<41x53xi8>, tensor<37x53xi32>
  tile.store %d, %z[%c0, %c0] : tensor<37x53xi32>, !tile.view<37x53xi32>
}

tile.kernel @left(%x: !tile.view<37x41xi8> {tile.readonly}, %y: !tile.view<41x53xi8> {tile.readonly}, %z: !tile.view<37x53xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<37x53xi32>
  %a = tile.load %x[%c0, %c0] : !tile.view<37x41xi8> -> tensor<37x41xi8>
  %b = tile.load %y[%c0, %c0] : !tile.view<41x53xi8> -> tensor<41x53xi8>
  %d = tile.dot %a, %b, %zero lhs_unsigned : tensor<37x41xi8>, tensor<41x53xi8>, tensor<37x53xi32>
  tile.store %d, %z[%c0, %c0] : tensor<37x53xi32>, !tile.view<37x53xi32>
}

tile.kernel @right(%x: !tile.view<37x41xi8> {tile.readonly}, %y: !tile.view<41x53xi8> {tile.readonly}, %z: !tile.view<37x53xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<37x53xi32>
  %a = tile.load %x[%c0, %c0] : !tile.view<37x41xi8> -> tensor<37x41xi8>
  %b = tile.load %y[%c0, %c0] : !tile.view<41x53xi8> -> tensor<41x53xi8>
  %d = tile.dot %a, %b, %zero rhs_unsigned : tensor<37x41xi8>, tensor<41x53xi8>, tensor<37x53xi32>
  tile.store %d, %z[%c0, %c0] : tensor<37x53xi32>, !tile.view<37x53xi32>
}

tile.kernel @both(%x: !tile.view<37x41xi8> {tile.readonly}, %y: !tile.view<41x53xi8> {tile.readonly}, %z: !tile.view<37x53xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<37x53xi32>
  %a = tile.load %x[%c0, %c0] : !tile.view<37x41xi8> -> tensor<37x41xi8>
  %b = tile.load %y[%c0, %c0] : !tile.view<41x53xi8> -> tensor<41x53xi8>
  %d = tile.dot %a, %b, %zero lhs_unsigned rhs_unsigned : tensor<37x41xi8>, tensor<41x53xi8>, tensor<37x53xi32>
  tile.store %d, %z[%c0, %c0] : tensor<37x53xi32>, !tile.view<37x53xi32>
}

// The larger of a number and a signalling NaN is the number.
tile.kernel @larger(%x: !tile.view<19xf32> {tile.readonly}, %y: !tile.view<19xf32> {tile.readonly}, %z: !tile.view<19xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<19xf32> -> tensor<19xf32>
  %b = tile.load %y[%c0] : !tile.view<19xf32> -> tensor<19xf32>
  %m = arith.maxnumf %a, %b : tensor<19xf32>
  tile.store %m, %z[%c0] : tensor<19xf32>, !tile.view<19xf32>
}

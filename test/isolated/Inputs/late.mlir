// Nine constants as large as the tile, of which each is needed for one step; all at once would not fit into the scratchpads of vela. One
// is used within a loop, and another in front of it and behind it.
tile.kernel @late(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = arith.constant dense<1.5> : tensor<2048xf32>
  %b = arith.constant dense<2.5> : tensor<2048xf32>
  %c = arith.constant dense<3.5> : tensor<2048xf32>
  %d = arith.constant dense<0.5> : tensor<2048xf32>
  %e = arith.constant dense<4.5> : tensor<2048xf32>
  %f = arith.constant dense<0.25> : tensor<2048xf32>
  %g = arith.constant dense<0.75> : tensor<2048xf32>
  %h = arith.constant dense<1.25> : tensor<2048xf32>
  %last = arith.constant dense<1.75> : tensor<2048xf32>
  %i = tile.program_id : index
  %0 = tile.load %x[%i] : !tile.view<?xf32> -> tensor<2048xf32>
  %1 = arith.addf %0, %a : tensor<2048xf32>
  %2 = arith.mulf %1, %b : tensor<2048xf32>
  %3 = arith.addf %2, %c : tensor<2048xf32>
  %4 = arith.mulf %3, %d : tensor<2048xf32>
  %5 = arith.addf %4, %e : tensor<2048xf32>
  %6 = scf.for %j = %c0 to %c3 step %c1 iter_args(%sum = %5) -> (tensor<2048xf32>) {
    %next = arith.addf %sum, %g : tensor<2048xf32>
    scf.yield %next : tensor<2048xf32>
  }
  %7 = arith.mulf %6, %f : tensor<2048xf32>
  %8 = arith.addf %7, %h : tensor<2048xf32>
  %9 = arith.mulf %8, %a : tensor<2048xf32>
  %10 = arith.addf %9, %last : tensor<2048xf32>
  tile.store %10, %y[%i] : tensor<2048xf32>, !tile.view<?xf32>
}

// Softmax of rows of up to 4096 elements; past their end reads -inf, which adds nothing.
tile.kernel @fused_softmax(%x: !tile.view<?x?xf32> {tile.facts = {readonly}}, %y: !tile.view<?x?xf32> {tile.facts = {noalias}}) {
  %row = tile.program_id : index
  %c0 = arith.constant 0 : index
  %ninf = arith.constant 0xFF800000 : f32
  %t = tile.load %x[%row, %c0] pad %ninf : f32 : !tile.view<?x?xf32> -> tensor<4096xf32>
  %max = tile.reduce %t axis 0 : tensor<4096xf32> -> tensor<f32> { ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  }
  %m1 = tile.reshape %max : tensor<f32> -> tensor<1xf32>
  %mb = tile.broadcast %m1 : tensor<1xf32> -> tensor<4096xf32>
  %shifted = arith.subf %t, %mb : tensor<4096xf32>
  %e = math.exp %shifted : tensor<4096xf32>
  %sum = tile.reduce %e axis 0 : tensor<4096xf32> -> tensor<f32> { ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %s1 = tile.reshape %sum : tensor<f32> -> tensor<1xf32>
  %sb = tile.broadcast %s1 : tensor<1xf32> -> tensor<4096xf32>
  %out = arith.divf %e, %sb : tensor<4096xf32>
  tile.store %out, %y[%row, %c0] : tensor<4096xf32>, !tile.view<?x?xf32>
}

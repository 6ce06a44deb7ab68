// Maxima of rows, whose threads exchange registers of a warp, and sums from the left, across warps.
// kiln-run: --grid=3 --arg=random:1:f32:20x1000 --arg=zeros:f32:20 --arg=zeros:f32:20x1000
tile.kernel @rows(%x: !tile.view<?x?xf32> {tile.facts = {readonly}}, %most: !tile.view<?xf32> {tile.facts = {noalias}},
                  %sums: !tile.view<?x?xf32> {tile.facts = {noalias}}) {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%i, %c0] : !tile.view<?x?xf32> -> tensor<8x1024xf32>
  %m = tile.reduce %v axis 1 : tensor<8x1024xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    tile.yield %r : f32
  }
  tile.store %m, %most[%i] : tensor<8xf32>, !tile.view<?xf32>
  %s = tile.scan %v axis 1 : tensor<8x1024xf32> -> tensor<8x1024xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  }
  tile.store %s, %sums[%i, %c0] : tensor<8x1024xf32>, !tile.view<?x?xf32>
}

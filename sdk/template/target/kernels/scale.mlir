// y = x * factor, where the factor is an argument; outside of x there are ones.
// kiln-run: --grid=3 --arg=random:1:f32:2500 --arg=f32:0.75 --arg=zeros:f32:3000
tile.kernel @scale(%x: !tile.view<?xf32> {tile.facts = {readonly}}, %factor: f32, %y: !tile.view<?xf32> {tile.facts = {noalias}}) {
  %i = tile.program_id : index
  %one = arith.constant 1.0 : f32
  %a = tile.load %x[%i] pad %one : f32 : !tile.view<?xf32> -> tensor<1024xf32>
  %all = tile.splat %factor : tensor<1024xf32>
  %b = arith.mulf %a, %all : tensor<1024xf32>
  tile.store %b, %y[%i] : tensor<1024xf32>, !tile.view<?xf32>
}

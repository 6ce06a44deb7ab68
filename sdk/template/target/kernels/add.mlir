// c = a + b, 1024 numbers an instance, for any size.
// kiln-run: --grid=3 --arg=random:1:f32:2500 --arg=random:2:f32:2500 --arg=zeros:f32:2500
tile.kernel @add(%a: !tile.view<?xf32> {tile.facts = {readonly}}, %b: !tile.view<?xf32> {tile.facts = {readonly}},
                 %c: !tile.view<?xf32> {tile.facts = {noalias}}) {
  %i = tile.program_id : index
  %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<1024xf32>
  %y = tile.load %b[%i] : !tile.view<?xf32> -> tensor<1024xf32>
  %z = arith.addf %x, %y : tensor<1024xf32>
  tile.store %z, %c[%i] : tensor<1024xf32>, !tile.view<?xf32>
}

// z = x + y for vectors of any length. Reads past the end give zero, writes
// past the end are dropped, so the last block needs no mask.
// Run: kiln-run examples/vector_add.mlir --target=cpu --dim=100000 --grid=98 --check
tile.kernel @vector_add(%x: !tile.view<?xf32> {tile.facts = {readonly}}, %y: !tile.view<?xf32> {tile.facts = {readonly}},
                        %z: !tile.view<?xf32> {tile.facts = {noalias}}) {
  %i = tile.program_id : index
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<1024xf32>
  %b = tile.load %y[%i] : !tile.view<?xf32> -> tensor<1024xf32>
  %sum = arith.addf %a, %b : tensor<1024xf32>
  tile.store %sum, %z[%i] : tensor<1024xf32>, !tile.view<?xf32>
}

// As until version 0.2 of the dialects: facts on arguments for which no pass asks.
program.func @update(%x: memref<8xf32> {tile.readonly, tile.align = 64 : i64}) {
  program.return
}
func.func @other(%x: memref<8xf32> {tile.align = 64 : i64}) {
  return
}

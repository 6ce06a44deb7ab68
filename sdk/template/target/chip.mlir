// Level 1: the chip as data. This file alone is a target already; its kernels
// run on the host:
//   kiln-compile kernels/add.mlir --load-target=chip.mlir --target=@name@ -o add.kiln --explain
#kiln.target<
  name = "@name@", chip = "v1",
  topology = <cores = 1>,
  memories = [
    #kiln.memory<name = "tiles", scope = core, kind = register, size = 1048576>,
    #kiln.memory<name = "main", scope = device, kind = explicit, size = 268435456>],
  units = [
    #kiln.unit<name = "alu", kind = vector, bits = 32, types = [f32], homes = ["tiles"]>],
  tiles = <elementwise_rows = 4, elementwise_cols = 256, reduction_elements = 4096>,
  limits = {max_rank = 4 : i64, max_tile_elements = 4096 : i64}>

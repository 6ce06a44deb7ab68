// The chip as data: a scratchpad that only DMA fills, a matrix unit that reads it as it lies, a vector unit.
#kiln.target<
  name = "systolic", chip = "s1",
  topology = <cores = 1, frequency = 1000000000>,
  memories = [
    #kiln.memory<name = "pad", scope = core, kind = explicit, size = 65536, align = 64>,
    #kiln.memory<name = "main", scope = device, kind = cached, size = 1073741824, bandwidth = 16000000000>],
  units = [
    #kiln.unit<name = "queue", kind = dma, bits = 128>,
    #kiln.unit<name = "lanes", kind = vector, bits = 512, types = [f32, i32], homes = ["pad"]>,
    #kiln.unit<name = "array", kind = matrix, types = [f32, bf16], homes = ["pad"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "mma_f32", unit = "array", m = <16>, n = <16>, k = <16>,
      lhs = <types = [f32], home = "pad">, rhs = <types = [f32], home = "pad">, acc = <types = [f32], home = "pad">>,
    #kiln.matrix_instruction<name = "mma_bf16", unit = "array", m = <16>, n = <16>, k = <16>,
      lhs = <types = [bf16], home = "pad">, rhs = <types = [bf16], home = "pad">, acc = <types = [f32], home = "pad">>],
  tiles = <elementwise_rows = 8, elementwise_cols = 128, reduction_elements = 2048>,
  limits = {max_rank = 4 : i64, max_tile_elements = 16384 : i64}>

// A chip whose warps have 16 lanes; its matrix instruction has 8 x 8 x 8 elements, of which each lane has four.
#kiln.target<
  name = "gx", chip = "g16", family = "gpu",
  topology = <cores = 8, threads = 4, lanes = 16, threads_per_block = 512, grid_axes = 3>,
  memories = [
    #kiln.memory<name = "registers", scope = thread, kind = register, size = 1024, align = 4>,
    #kiln.memory<name = "local", scope = core, kind = explicit, size = 65536, align = 16, banks = 16, bank_bytes = 4>,
    #kiln.memory<name = "main", scope = device, kind = cached, size = 8589934592, line = 64>],
  units = [
    #kiln.unit<name = "lanes", kind = vector, bits = 512, registers = 256, types = [f32, f16, bf16, i32]>,
    #kiln.unit<name = "mat", kind = matrix, homes = ["registers"]>,
    #kiln.unit<name = "copies", kind = dma, bits = 128>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "mm8", unit = "mat", m = <8>, n = <8>, k = <8>,
      lhs = <types = [f16], home = "registers", layout = #simt.layout<rank = 2, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [0, 4]], warp = []>>,
      rhs = <types = [f16], home = "registers", layout = #simt.layout<rank = 2, register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [4, 0]], warp = []>>,
      acc = <types = [f32], home = "registers", layout = #simt.layout<rank = 2, register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [4, 0]], warp = []>>, cycles = 8>]>

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts: "AMD Instinct MI300" Instruction Set Architecture, chapters on LDS and on matrix instructions.
#kiln.target<name = "@name@", chip = "gfx942", triple = "amdgcn-amd-amdhsa", cpu = "gfx942",
  topology = <cores = 304, threads = 2048, frequency = 2100000000, lanes = 64, threads_per_block = 1024>,
  memories = [
    #kiln.memory<name = "registers", scope = thread, kind = register, size = 2048, align = 4>,
    #kiln.memory<name = "lds", scope = core, kind = explicit, size = 65536, align = 16, line = 128, banks = 32, bank_bytes = 4,
      lane_phases = [#kiln.lane_phase<bytes = 16, lane_bits = [0, 1, 4]>]>,
    #kiln.memory<name = "global", scope = device, kind = cached, align = 16, line = 128, bandwidth = 5300000000000>],
  units = [
    #kiln.unit<name = "simd", kind = vector, bits = 2048, registers = 512, count = 4,
      types = [f32, f64, i32, i1, i8, i16, i64, f16, bf16], homes = ["registers"]>,
    #kiln.unit<name = "scalar", kind = scalar, count = 4>,
    #kiln.unit<name = "matrix", kind = matrix, count = 4, homes = ["registers"]>,
    #kiln.unit<name = "copy", kind = dma, homes = ["global", "lds"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "mfma.f32.16x16x16f16", unit = "matrix", m = <16>, n = <16>, k = <16>,
      lhs = <types = [f16], home = "registers", layout = #simt.layout<rank = 2, register = [[0, 1], [0, 2]],
        lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], warp = []>>,
      rhs = <types = [f16], home = "registers", layout = #simt.layout<rank = 2, register = [[1, 0], [2, 0]],
        lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], warp = []>>,
      acc = <types = [f32], home = "registers", layout = #simt.layout<rank = 2, register = [[1, 0], [2, 0]],
        lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], warp = []>>, cycles = 16>,
    #kiln.matrix_instruction<name = "mfma.f32.16x16x4f32", unit = "matrix", m = <16>, n = <16>, k = <4>,
      lhs = <types = [f32], home = "registers", layout = #simt.layout<rank = 2, register = [],
        lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = []>>,
      rhs = <types = [f32], home = "registers", layout = #simt.layout<rank = 2, register = [],
        lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = []>>,
      acc = <types = [f32], home = "registers", layout = #simt.layout<rank = 2, register = [[1, 0], [2, 0]],
        lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], warp = []>>, cycles = 32>],
  costs = <shuffle = 80, exchanges = [#kiln.exchange_cost<lane_bits = [0, 1, 2, 3], cost = 40>]>>

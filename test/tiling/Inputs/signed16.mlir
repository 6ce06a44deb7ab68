// A 16 x 16 x 16 matrix unit of signed bytes beside a scratchpad that a DMA queue fills.
#kiln.target<name = "signed16", chip = "u1", topology = <cores = 1>,
  memories = [#kiln.memory<name = "pad", scope = core, kind = explicit, size = 65536>,
              #kiln.memory<name = "main", scope = device, kind = explicit>],
  units = [#kiln.unit<name = "mac", kind = matrix, types = [si8, si32], homes = ["pad"]>,
           #kiln.unit<name = "queue", kind = dma>],
  matrix_instructions = [#kiln.matrix_instruction<name = "mac16", unit = "mac", m = <16>, n = <16>, k = <16>,
    lhs = <types = [si8], home = "pad">, rhs = <types = [si8], home = "pad">,
    acc = <types = [si32], home = "pad">>]>

// Eight cores, each with a 16 x 16 x 16 matrix unit beside a scratchpad that a DMA queue fills.
#kiln.target<name = "unit16x8", chip = "u8", topology = <cores = 8>,
  memories = [#kiln.memory<name = "pad", scope = core, kind = explicit, size = 65536>,
              #kiln.memory<name = "main", scope = device, kind = explicit>],
  units = [#kiln.unit<name = "mac", kind = matrix, types = [bf16, f32], homes = ["pad"]>,
           #kiln.unit<name = "queue", kind = dma>],
  matrix_instructions = [#kiln.matrix_instruction<name = "mac16", unit = "mac", m = <16>, n = <16>, k = <16>,
    lhs = <types = [bf16, f32], home = "pad">, rhs = <types = [bf16, f32], home = "pad">,
    acc = <types = [f32], home = "pad">>]>

// A scratchpad whose matrix unit reads the right factor in panels of 8 columns, two steps side by side.
#kiln.target<name = "panels", chip = "p",
  memories = [#kiln.memory<name = "pad", scope = core, kind = explicit, size = 131072>],
  units = [#kiln.unit<name = "array", kind = matrix, types = [bf16, f32], homes = ["pad"]>, #kiln.unit<name = "queue", kind = dma>],
  matrix_instructions = [#kiln.matrix_instruction<name = "mma", unit = "array", m = <8>, n = <8>, k = <32>,
    lhs = <types = [bf16], home = "pad">, rhs = <types = [bf16], home = "pad", layout = #kiln.interleave<2>>,
    acc = <types = [f32], home = "pad">>]>

// A machine on paper.
#kiln.target<name = "paper", chip = "p1", topology = <cores = 4>,
  memories = [#kiln.memory<name = "scratchpad", scope = core, kind = explicit, size = 65536>],
  tiles = <elementwise_rows = 2, elementwise_cols = 128>>

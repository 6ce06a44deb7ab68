#kiln.target<name = "paper", chip = "p1",
  memories = [#kiln.memory<name = "scratchpad", scope = core, kind = explicit, align = 3>]>

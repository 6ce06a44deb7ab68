// A machine whose blocks have numbers along x alone.
#kiln.target<name = "flat", chip = "one", topology = <lanes = 16, threads_per_block = 256, grid_axes = 1>,
  memories = [#kiln.memory<name = "pool", scope = core, kind = explicit, size = 49152>,
    #kiln.memory<name = "dram", scope = device, kind = cached>]>

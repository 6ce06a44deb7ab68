// Cores that hold many threads, each of which moves 16 bytes at once.
#kiln.target<name = "wide", chip = "t1", topology = <cores = 100, threads = 2048>,
  memories = [#kiln.memory<name = "scratch", scope = core, kind = explicit, size = 65536>,
              #kiln.memory<name = "main", scope = device, kind = cached, align = 16, line = 128>],
  tiles = <elementwise_rows = 2, elementwise_cols = 1024>>

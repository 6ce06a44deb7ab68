// A target of the CPU's family that takes tiles of one dimension, and prefers small ones.
#kiln.target<name = "flat", chip = "f1", family = "cpu", triple = "x86_64-unknown-linux-gnu",
  memories = [#kiln.memory<name = "l1", scope = core, kind = cached, size = 32768>,
              #kiln.memory<name = "main", scope = host, kind = cached>],
  units = [#kiln.unit<name = "simd", kind = vector, bits = 128, registers = 16>],
  tiles = <elementwise_rows = 2, elementwise_cols = 32, reduction_elements = 256>,
  limits = {max_rank = 1 : i64}>

// The same with other tiles, of more dimensions.
#kiln.target<name = "deep", chip = "d1", family = "cpu", triple = "x86_64-unknown-linux-gnu",
  memories = [#kiln.memory<name = "l1", scope = core, kind = cached, size = 32768>,
              #kiln.memory<name = "main", scope = host, kind = cached>],
  units = [#kiln.unit<name = "simd", kind = vector, bits = 128, registers = 16>],
  tiles = <elementwise_rows = 8, elementwise_cols = 16, reduction_elements = 512>>

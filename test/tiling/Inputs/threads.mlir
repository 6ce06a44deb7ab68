// 16 cores of 1024 threads that run in steps of 32, with 64 KiB for those of a core; a unit for tf32 and bf16.
#kiln.target<name = "threads", chip = "t1", topology = <cores = 16, threads = 1024>,
  memories = [#kiln.memory<name = "registers", scope = thread, kind = register, size = 1020>,
              #kiln.memory<name = "shared", scope = core, kind = explicit, size = 65536>,
              #kiln.memory<name = "main", scope = device, kind = explicit>],
  units = [#kiln.unit<name = "lanes", kind = vector, bits = 1024, count = 4, types = [f32, i32]>,
           #kiln.unit<name = "mac", kind = matrix, count = 4, rate = 256, homes = ["registers"]>,
           #kiln.unit<name = "queue", kind = dma>],
  matrix_instructions = [#kiln.matrix_instruction<name = "bf16", unit = "mac", m = <16>, n = <8>, k = <16>,
    lhs = <types = [bf16], home = "registers">, rhs = <types = [bf16], home = "registers">,
    acc = <types = [f32], home = "registers">>,
    #kiln.matrix_instruction<name = "tf32", unit = "mac", m = <16>, n = <8>, k = <8>,
    lhs = <types = [tf32], home = "registers">, rhs = <types = [tf32], home = "registers">,
    acc = <types = [f32], home = "registers">>]>

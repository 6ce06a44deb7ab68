// A target that is nothing but a description: its kernels run on the host, so they may.
// RUN: unset KILN_NO_FALLBACK
// RUN: kiln-compile --load-target=%S/Inputs/chip.mlir --describe=paper | FileCheck %s --check-prefix=DESCRIBE
// DESCRIBE: target paper
// DESCRIBE: its kernels run on the host through cpu
// DESCRIBE: #kiln.memory<name = "scratchpad", scope = core, kind = explicit, size = 65536>
// RUN: kiln-compile --load-target=%S/Inputs/chip.mlir %S/Inputs/add.mlir --target=paper -o %t.kiln --explain \
// RUN:   | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: add: tile.kernel -> cpu
// EXPLAIN-NEXT: declined by paper: the target has no code generator
// RUN: kiln-run %t.kiln --target=paper --arg=random:1:f32:5 --arg=random:2:f32:5 --arg=zeros:f32:5 --grid=1
// RUN: not kiln-compile --load-target=%S/Inputs/bad-chip.mlir --list-targets 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: {{.*}}bad-chip.mlir: {{.*}}expected the alignment of a memory to be a power of two, found 3
// One of a family says what it lacks.
// RUN: echo '#kiln.target<name = "typo", chip = "t", family = "cpuu">' > %t.typo.mlir
// RUN: kiln-compile --load-target=%t.typo.mlir %S/Inputs/add.mlir --target=typo -o %t.kiln 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: fell back from target 'typo' to 'cpu': typo: the target has no code generator: its description names family 'cpuu', which is not registered
// RUN: echo '#kiln.target<name = "bare", chip = "t", family = "cpu">' > %t.bare.mlir
// RUN: kiln-compile --load-target=%t.bare.mlir %S/Inputs/add.mlir --target=bare -o %t.kiln 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: fell back from target 'bare' to 'cpu': bare: the target has no code generator: its description names family 'cpu', but no triple

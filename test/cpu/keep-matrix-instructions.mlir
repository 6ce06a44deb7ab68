// What somebody wrote on a product stays, and is what is computed with.
// REQUIRES: x86_64
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},cpu-select-matrix-instructions)' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},cpu-select-matrix-instructions,tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-place,stage-allocate),convert-stage-to-cpu)' | FileCheck %s --check-prefix=LOWER
// RUN: kiln-run %s --target=cpu,retile=off --grid=2,2 --arg=random:1:i8:100x71 --arg=random:2:i8:71x90 --arg=zeros:i32:100x90 --check --no-fallback | FileCheck %s --check-prefix=RESULT

// CHECK: tile.dot {{.*}}#cpu.product<row = "vpmaddwd", rows = 3, columns = 16, depth = 32>
// Panels keep rows of 32 steps, and the last of the tile's 64 rows is a block of its own.
// LOWER: cpu.micro_kernel {{.*}} block[1, 16] groups[32, 2] by @vpmaddwd : si16, si16, i32
// LOWER: cpu.micro_kernel {{.*}} block[3, 16] groups[32, 2] by @vpmaddwd : si16, si16, i32
// RESULT: argument 2 (c): ok
tile.kernel @given(%a: !tile.view<?x?xi8> {tile.readonly}, %b: !tile.view<?x?xi8> {tile.readonly}, %c: !tile.view<?x?xi32> {tile.noalias}) {
  %i, %j = tile.program_id : index, index
  %k = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %x = tile.load %a[%i, %k] : !tile.view<?x?xi8> -> tensor<64x71xi8>
  %y = tile.load %b[%k, %j] : !tile.view<?x?xi8> -> tensor<71x64xi8>
  %d = tile.dot %x, %y, %zero {split = #cpu.product<row = "vpmaddwd", rows = 3, columns = 16, depth = 32>}
    : tensor<64x71xi8>, tensor<71x64xi8>, tensor<64x64xi32>
  tile.store %d, %c[%i, %j] : tensor<64x64xi32>, !tile.view<?x?xi32>
}

// Panels of one group of steps look the same whatever their width: it is that of the blocks that read them.
// REQUIRES: x86_64
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=cpu:sapphirerapids},cpu-select-matrix-instructions,tile.kernel(tile-decide-storage,convert-tile-to-stage,stage-split-products,stage-place,stage-allocate),convert-stage-to-cpu)' | FileCheck %s
// RUN: kiln-run %s --target=cpu,retile=off --grid=1 --arg=random:1:i8:33x37 --arg=random:2:i8:37x17 --arg=zeros:i32:33x17 --check --no-fallback | FileCheck %s --check-prefix=RESULT

// CHECK: cpu.micro_kernel {{.*}} block[32, 32] groups[64, 4] by @tdpbssd
// RESULT: argument 2 (c): ok
tile.kernel @small(%a: !tile.view<33x37xi8> {tile.readonly}, %b: !tile.view<37x17xi8> {tile.readonly}, %c: !tile.view<33x17xi32> {tile.noalias}) {
  %k = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<33x17xi32>
  %x = tile.load %a[%k, %k] : !tile.view<33x37xi8> -> tensor<33x37xi8>
  %y = tile.load %b[%k, %k] : !tile.view<37x17xi8> -> tensor<37x17xi8>
  %d = tile.dot %x, %y, %zero : tensor<33x37xi8>, tensor<37x17xi8>, tensor<33x17xi32>
  tile.store %d, %c[%k, %k] : tensor<33x17xi32>, !tile.view<33x17xi32>
}

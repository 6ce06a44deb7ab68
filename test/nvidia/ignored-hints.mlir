// The hints that docs/hints.md lists as followed by no target leave the code of a kernel as it is; a number of warps changes it.
// RUN: kiln-compile - --target=nvidia:sm_90a --emit=ptx -o %t.ptx < %s
// RUN: for hint in 'unroll = 4' 'flatten = true' 'specialize = true' 'single_accumulator = true'; do \
// RUN:   sed "s/^  } .. loop$/  } {tile.hints = #tile.loop_hints<$hint>}/" %s > %t.mlir && grep -q "hints<$hint>" %t.mlir && \
// RUN:   kiln-compile - --target=nvidia:sm_90a --emit=ptx -o - < %t.mlir | diff %t.ptx - || exit 1; done
// RUN: for hint in 'threads_per_warp = 64' 'cluster = 2' 'registers = 32'; do \
// RUN:   sed "s/<warps = 4>/<warps = 4, $hint>/" %s > %t.mlir && grep -q "4, $hint>" %t.mlir && \
// RUN:   kiln-compile - --target=nvidia:sm_90a --emit=ptx -o - < %t.mlir | diff %t.ptx - || exit 1; done
// RUN: sed "s/<warps = 4>/<warps = 8>/" %s | kiln-compile - --target=nvidia:sm_90a --emit=ptx -o %t.8.ptx && not diff -q %t.ptx %t.8.ptx

tile.kernel @sums(%x: !tile.view<?x?xf32> {tile.facts = {readonly}}, %y: !tile.view<?xf32> {tile.facts = {noalias}}, %n: index)
    attributes {tile.hints = #tile.kernel_hints<warps = 4>} {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<256xf32>) {
    %t = tile.load %x[%k, %i] : !tile.view<?x?xf32> -> tensor<1x256xf32>
    %r = tile.reshape %t : tensor<1x256xf32> -> tensor<256xf32>
    %a = arith.addf %s, %r : tensor<256xf32>
    scf.yield %a : tensor<256xf32>
  } // loop
  tile.store %sum, %y[%i] : tensor<256xf32>, !tile.view<?xf32>
}

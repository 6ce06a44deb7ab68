// The hints that docs/hints.md lists as followed by no target leave the code of kernels as it is; a number of warps changes it, and on NVIDIA
// a number of stages.
// RUN: for target in nvidia:sm_90a,ptxas=none amd:gfx942; do \
// RUN:   kiln-compile - --target=$target --no-fallback --emit=asm -o %t.asm < %s || exit 1; \
// RUN:   for hint in 'unroll = 4' 'flatten = true' 'specialize = true' 'single_accumulator = true'; do \
// RUN:     sed "s/} .. loop$/} {tile.hints = #tile.loop_hints<$hint>}/" %s > %t.mlir && test $(grep -c "^ *} .*hints<$hint>" %t.mlir) = 2 && \
// RUN:     kiln-compile - --target=$target --no-fallback --emit=asm -o %t.hinted < %t.mlir && diff %t.asm %t.hinted || exit 1; done; \
// RUN:   for hint in 'threads_per_warp = 64' 'cluster = 2' 'registers = 32'; do \
// RUN:     sed "s/<warps = 4>/<warps = 4, $hint>/" %s > %t.mlir && grep -q "4, $hint>" %t.mlir && \
// RUN:     kiln-compile - --target=$target --no-fallback --emit=asm -o %t.hinted < %t.mlir && diff %t.asm %t.hinted || exit 1; done; \
// RUN:   sed "s/<warps = 4>/<warps = 8>/" %s | kiln-compile - --target=$target --no-fallback --emit=asm -o %t.hinted && \
// RUN:   not diff -q %t.asm %t.hinted || exit 1; done
// RUN: kiln-compile - --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm -o %t.asm < %s
// RUN: sed "/scf.yield %d/{n;s/} .. loop$/} {tile.hints = #tile.loop_hints<stages = 4>}/}" %s | \
// RUN:   kiln-compile - --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm -o %t.hinted && not diff -q %t.asm %t.hinted

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

// An instance computes several blocks, one after the other.
tile.kernel @blocks(%x: !tile.view<?x?xf16> {tile.facts = {readonly}}, %w: !tile.view<?x?xf16> {tile.facts = {readonly}},
                    %y: !tile.view<?x?xf32> {tile.facts = {noalias}}, %n: index) attributes {tile.hints = #tile.kernel_hints<warps = 4>} {
  %i = tile.program_id : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = tile.num_blocks %x[1] by 32 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.for %j = %c0 to %n step %c1 {
    %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %x[%i, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %b = tile.load %w[%k, %j] : !tile.view<?x?xf16> -> tensor<32x64xf16>
      %d = tile.dot %a, %b, %s : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } // loop
    tile.store %sum, %y[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// A schedule script changes attention from a file: blocks of queries and keys, for caches and for threads, right and timed.
// RUN: kiln-compile %s --entry=single --target=cpu:x86-64-v3 --schedule=%S/Inputs/attention.script --emit=tile | FileCheck %s
// RUN: kiln-run %s --entry=single --target=cpu --schedule=%S/Inputs/attention.script --check --bench=2 --warmup=1 --no-ceiling --against=cpu | FileCheck %s --check-prefix=TIMES
// RUN: kiln-compile %s --entry=half --target=nvidia:sm_90a --schedule=%S/Inputs/attention.script --emit=tile | FileCheck %s --check-prefix=THREADS

// CHECK: tile.kernel {{.*}}@single_0_attention(
// CHECK: tile.load {{.*}} -> tensor<32x64xf32>
// CHECK: tile.dot {{.*}} tensor<32x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>
// TIMES: ok
// TIMES: this takes {{[0-9.]+}} of the other's time
func.func @single(%q: tensor<2x200x64xf32>, %k: tensor<2x150x64xf32>, %v: tensor<2x150x64xf32>) -> tensor<2x200x64xf32> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<2x200x64xf32>, tensor<2x150x64xf32>, tensor<2x150x64xf32> -> tensor<2x200x64xf32>
  return %r : tensor<2x200x64xf32>
}

// RUN: kiln-compile %s --entry=gradients --target=nvidia:sm_90a --schedule=%S/Inputs/attention-backward.script --emit=tile | FileCheck %s --check-prefix=GRADIENTS
// RUN: kiln-compile %s --entry=gradients --target=cpu:x86-64-v3 --schedule=%S/Inputs/attention-backward.script --emit=tile | FileCheck %s --check-prefix=CACHES
// RUN: sed 's/rows 32/rows 24/' %S/Inputs/attention-backward.script > %t.script
// RUN: not kiln-compile %s --entry=gradients --target=nvidia:sm_90a --schedule=%t.script --emit=tile 2>&1 | FileCheck %s --check-prefix=REFUSED

// THREADS: tile.kernel {{.*}}@half_0_attention(
// THREADS: tile.dot {{.*}} tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xf32>
func.func @half(%q: tensor<64x512x64xbf16>, %k: tensor<64x512x64xbf16>, %v: tensor<64x512x64xbf16>) -> tensor<64x512x64xbf16> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16> -> tensor<64x512x64xbf16>
  return %r : tensor<64x512x64xbf16>
}

// Rows are those of each kernel, keys or queries.
// GRADIENTS: tile.kernel {{.*}}@gradients_0_attention_backward_keys(
// GRADIENTS: tile.dot {{.*}} tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xf32>
// GRADIENTS: tile.kernel {{.*}}@gradients_0_attention_backward_queries(
// GRADIENTS: tile.dot {{.*}} tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xf32>
// CACHES: tile.kernel {{.*}}@gradients_0_attention_backward_keys(
// CACHES: tile.dot {{.*}} tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xf32>
// REFUSED: threads take blocks of powers of two from 16 on, found 24 rows and 64 of depth
func.func @gradients(%q: tensor<64x512x64xbf16>, %k: tensor<64x512x64xbf16>, %v: tensor<64x512x64xbf16>, %o: tensor<64x512x64xbf16>, %g: tensor<64x512x64xbf16>, %l: tensor<64x512xf32>) -> (tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>) {
  %d:3 = prim.attention_backward %q, %k, %v output %o gradient %g logsumexp %l scale 0.125 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512xf32>
  return %d#0, %d#1, %d#2 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16>
}

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

// THREADS: tile.kernel {{.*}}@half_0_attention(
// THREADS: tile.dot {{.*}} tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xf32>
func.func @half(%q: tensor<64x512x64xbf16>, %k: tensor<64x512x64xbf16>, %v: tensor<64x512x64xbf16>) -> tensor<64x512x64xbf16> {
  %r = prim.attention %q, %k, %v scale 0.125 : tensor<64x512x64xbf16>, tensor<64x512x64xbf16>, tensor<64x512x64xbf16> -> tensor<64x512x64xbf16>
  return %r : tensor<64x512x64xbf16>
}

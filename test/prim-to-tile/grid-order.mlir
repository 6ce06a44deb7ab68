// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where few blocks cover all rows of a product, instances that read the same columns of the larger operand follow each other in the grid.
// RUN: kiln-compile %s --entry=few --target=nvidia:sm_90a,ptxas=none,raster=off,blocks=128x128x64 --no-fallback --emit=tile | FileCheck %s
// CHECK: most_instances = array<i64: 2, 32, 1>
// CHECK: %[[P:.*]]:2 = tile.program_id
// CHECK: tile.load %arg0[%[[P]]#0, {{.*}} -> tensor<128x64xbf16>
// CHECK: tile.load %arg1[{{.*}}, %[[P]]#1] {{.*}} -> tensor<64x128xbf16>
// With more rows those that read the same rows do, and on CPUs, whose threads take whole ranges of the grid.
// RUN: kiln-compile %s --entry=many --target=nvidia:sm_90a,ptxas=none,raster=off,blocks=128x128x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=MANY
// MANY: most_instances = array<i64: 32, 16, 1>
// MANY: %[[P:.*]]:2 = tile.program_id
// MANY: tile.load %arg0[%[[P]]#1, {{.*}} -> tensor<128x64xbf16>
// RUN: kiln-compile %s --entry=few --target=cpu:x86-64-v3,blocks=128x128x64 --no-fallback --emit=tile | FileCheck %s --check-prefix=CPU
// CPU: %[[P:.*]]:2 = tile.program_id
// CPU: tile.load %arg0[%[[P]]#1, {{.*}} -> tensor<128x64xbf16>
func.func @few(%a: tensor<256x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<256x4096xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<256x4096xbf16>, tensor<4096x4096xbf16> -> tensor<256x4096xbf16>
  return %r : tensor<256x4096xbf16>
}
func.func @many(%a: tensor<2048x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<2048x4096xbf16> {
  %r = prim.dot_general %a, %b batch [] x [] contract [1] x [1] : tensor<2048x4096xbf16>, tensor<4096x4096xbf16> -> tensor<2048x4096xbf16>
  return %r : tensor<2048x4096xbf16>
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines whose threads share tiles sort long lines digit by digit: blocks count a digit, counts are added up over blocks, and each
// sorted block goes to its places.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program --entry=wide | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=tile --verify-semantics --entry=doubles -o /dev/null
// RUN: for chip in gfx1201 gfx90a; do for entry in bytes doubles columns truths; do kiln-run %s --target=amd:$chip,device=sim --no-fallback --check --entry=$entry || exit 1; done; done
// RUN: kiln-run %s --target=amd:gfx1201,device=sim --no-fallback --check --inputs=hurt --entry=doubles

// One line of 2^18 keys of 32 bits goes by merges, as it has few blocks, two of them by digits.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program --entry=line | FileCheck %s --check-prefix=LINE
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=program --entry=lines | FileCheck %s --check-prefix=LINES
// LINE-NOT: tile.histogram
// LINES: tile.histogram

// CHECK-LABEL: tile.kernel private @wide_0_argsort_count0(
// CHECK: tile.load {{.*}} tensor<2048xf32>
// CHECK: tile.histogram {{.*}} -> tensor<256xi32>
// CHECK-LABEL: tile.kernel private @wide_0_argsort_sums0(
// CHECK: tile.scan
// CHECK-LABEL: tile.kernel private @wide_0_argsort_digit0(
// CHECK: tile.sort {{.*}} tensor<2048xi32>
// CHECK-COUNT-2: tile.store_scatter {{.*}} tensor<2048xi32>
// Kept keys lose the digits that they were sorted by.
// CHECK-LABEL: tile.kernel private @wide_0_argsort_digit1(
// CHECK: tile.store_scatter {{.*}} tensor<2048xi16>
// CHECK-LABEL: tile.kernel private @wide_0_argsort_digit2(
// CHECK: tile.store_scatter {{.*}} tensor<2048xi8>
// CHECK-LABEL: tile.kernel private @wide_0_argsort_digit3(
// CHECK-COUNT-1: tile.store_scatter {{.*}} tensor<2048xi64>
// CHECK-NOT: tile.store_scatter
// CHECK-LABEL: program.func @wide
// CHECK-COUNT-12: program.launch
// CHECK-NOT: program.launch
func.func @wide(%x: tensor<600000xf32>) -> tensor<600000xi64> {
  %r = prim.argsort %x dim 0 : tensor<600000xf32> -> tensor<600000xi64>
  return %r : tensor<600000xi64>
}
// Equal keys keep their order, and the last block has room.
func.func @bytes(%x: tensor<66000xi8>) -> tensor<66000xi32> {
  %r = prim.argsort %x dim 0 descending : tensor<66000xi8> -> tensor<66000xi32>
  return %r : tensor<66000xi32>
}
func.func @doubles(%x: tensor<2x9000xf64>) -> tensor<2x9000xi64> {
  %r = prim.argsort %x dim 1 : tensor<2x9000xf64> -> tensor<2x9000xi64>
  return %r : tensor<2x9000xi64>
}
// Lines that are columns, of whole blocks.
func.func @columns(%x: tensor<8192x3xi64>) -> tensor<8192x3xi32> {
  %r = prim.argsort %x dim 0 unsigned : tensor<8192x3xi64> -> tensor<8192x3xi32>
  return %r : tensor<8192x3xi32>
}
func.func @truths(%x: tensor<65536xi1>) -> tensor<65536xi32> {
  %r = prim.argsort %x dim 0 : tensor<65536xi1> -> tensor<65536xi32>
  return %r : tensor<65536xi32>
}
func.func @line(%x: tensor<262144xf32>) -> tensor<262144xi64> {
  %r = prim.argsort %x dim 0 : tensor<262144xf32> -> tensor<262144xi64>
  return %r : tensor<262144xi64>
}
func.func @lines(%x: tensor<262144x2xf32>) -> tensor<262144x2xi64> {
  %r = prim.argsort %x dim 0 : tensor<262144x2xf32> -> tensor<262144x2xi64>
  return %r : tensor<262144x2xi64>
}

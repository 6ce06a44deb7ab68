// Products with scales, decoded as the reference decodes them.
// RUN: kiln-run %s --entry=packed --target=cpu --check --grid=1 | FileCheck %s
// RUN: kiln-run %s --entry=columns --target=cpu --check --grid=1 | FileCheck %s
// CHECK-NOT: FAILED
// CHECK: ok

// Any byte is two numbers of e2m1; scales are kept small.
tile.kernel @packed(%a: !tile.view<32x32xi8> {tile.readonly}, %b: !tile.view<64x32xf32> {tile.readonly},
                    %s: !tile.view<32x2xi8> {tile.readonly}, %out: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xi8> -> tensor<32x32xi8>
  %f = tile.load %b[%c0, %c0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  %y = arith.truncf %f : tensor<64x32xf32> to tensor<64x32xf8E5M2>
  %n = tile.load %s[%c0, %c0] : !tile.view<32x2xi8> -> tensor<32x2xi8>
  %c7 = arith.constant dense<7> : tensor<32x2xi8>
  %c124 = arith.constant dense<124> : tensor<32x2xi8>
  %low = arith.andi %n, %c7 : tensor<32x2xi8>
  %scale = arith.addi %low, %c124 : tensor<32x2xi8>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tile.dot_scaled %x e2m1 scale %scale, %y e5m2 scale %scale, %zero
    : tensor<32x32xi8> scale tensor<32x2xi8>, tensor<64x32xf8E5M2> scale tensor<32x2xi8>, tensor<32x32xf32>
  tile.store %d, %out[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// Packed along the columns, in batches, with factors as scales.
tile.kernel @columns(%a: !tile.view<2x16x32xbf16> {tile.readonly}, %b: !tile.view<2x32x16xi8> {tile.readonly},
                     %s: !tile.view<2x32x2xf32> {tile.readonly}, %out: !tile.view<2x16x32xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0, %c0] : !tile.view<2x16x32xbf16> -> tensor<2x16x32xbf16>
  %y = tile.load %b[%c0, %c0, %c0] : !tile.view<2x32x16xi8> -> tensor<2x32x16xi8>
  %f = tile.load %s[%c0, %c0, %c0] : !tile.view<2x32x2xf32> -> tensor<2x32x2xf32>
  %scale = arith.truncf %f : tensor<2x32x2xf32> to tensor<2x32x2xf8E4M3FN>
  %acc = arith.constant dense<1.0> : tensor<2x16x32xf32>
  %d = tile.dot_scaled %x bf16, %y e2m1 scale %scale, %acc {rhs_k_pack = false}
    : tensor<2x16x32xbf16>, tensor<2x32x16xi8> scale tensor<2x32x2xf8E4M3FN>, tensor<2x16x32xf32>
  tile.store %d, %out[%c0, %c0, %c0] : tensor<2x16x32xf32>, !tile.view<2x16x32xf32>
}

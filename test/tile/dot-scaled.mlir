// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-expand-scaled-dots))' | FileCheck %s --check-prefix=EXPAND
// RUN: kiln-opt %s --tile-raise -o /dev/null 2>&1 | FileCheck %s --check-prefix=RAISE

// CHECK-LABEL: tile.kernel @packed
// EXPAND-LABEL: tile.kernel @packed
// RAISE-LABEL: tile.kernel @packed
tile.kernel @packed(%a: !tile.view<64x32xi8>, %sa: !tile.view<64x2xi8>, %b: !tile.view<64x128xf8E4M3FN>,
                    %sb: !tile.view<128x2xi8>, %out: !tile.view<64x128xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<64x32xi8> -> tensor<64x32xi8>
  %sx = tile.load %sa[%c0, %c0] : !tile.view<64x2xi8> -> tensor<64x2xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<64x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
  %sy = tile.load %sb[%c0, %c0] : !tile.view<128x2xi8> -> tensor<128x2xi8>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  // Two elements in a byte, in f32; a scale for each 32 elements.
  // EXPAND: tile.join {{.*}} -> tensor<64x32x2xf32>
  // EXPAND: tile.broadcast {{.*}} : tensor<64x2x1xf32> -> tensor<64x2x32xf32>
  // EXPAND: arith.extf {{.*}} : tensor<128x64xf8E4M3FN> to tensor<128x64xf32>
  // EXPAND: tile.dot {{.*}} : tensor<64x64xf32>, tensor<64x128xf32>, tensor<64x128xf32>
  // EXPAND-NOT: tile.dot_scaled
  // CHECK: tile.dot_scaled %{{.*}} e2m1 scale %{{.*}}, %{{.*}} e4m3 scale %{{.*}}, %{{.*}} fast_math
  // CHECK-SAME: : tensor<64x32xi8> scale tensor<64x2xi8>, tensor<64x128xf8E4M3FN> scale tensor<128x2xi8>, tensor<64x128xf32>
  %d = tile.dot_scaled %x e2m1 scale %sx, %y e4m3 scale %sy, %zero fast_math
    : tensor<64x32xi8> scale tensor<64x2xi8>, tensor<64x128xf8E4M3FN> scale tensor<128x2xi8>, tensor<64x128xf32>
  tile.store %d, %out[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
}

// CHECK-LABEL: tile.kernel @columns
// EXPAND-LABEL: tile.kernel @columns
tile.kernel @columns(%x: bf16, %y: i8, %s: f8E8M0FNU, %acc: f32) {
  %a = tile.splat %x : tensor<2x64x32xbf16>
  %b = tile.splat %y : tensor<2x32x64xi8>
  %sb = tile.splat %s : tensor<2x128x1xf8E8M0FNU>
  %c = tile.splat %acc : tensor<2x64x128xf32>
  // EXPAND: tile.dot {{.*}} : tensor<2x64x32xf32>, tensor<2x32x128xf32>, tensor<2x64x128xf32>
  // CHECK: tile.dot_scaled %{{.*}} bf16, %{{.*}} e2m1 scale %{{.*}}, %{{.*}} {rhs_k_pack = false}
  %d = tile.dot_scaled %a bf16, %b e2m1 scale %sb, %c {rhs_k_pack = false}
    : tensor<2x64x32xbf16>, tensor<2x32x64xi8> scale tensor<2x128x1xf8E8M0FNU>, tensor<2x64x128xf32>
}

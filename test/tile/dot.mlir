// Factors of any two float types, accumulators of f16 and bf16, integers with a signedness each.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-widen-accumulators))' | FileCheck %s --check-prefix=WIDE

// CHECK-LABEL: tile.kernel @float8
tile.kernel @float8(%x: f8E4M3FN, %y: f8E5M2, %s: f32) {
  %a = tile.splat %x : tensor<4x8xf8E4M3FN>
  %b = tile.splat %y : tensor<8x16xf8E5M2>
  %c = tile.splat %s : tensor<4x16xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {max_imprecise_acc = 64 : i64} : tensor<4x8xf8E4M3FN>, tensor<8x16xf8E5M2>, tensor<4x16xf32>
  // WIDE: tile.dot {{.*}} tensor<4x16xf32>
  %d = tile.dot %a, %b, %c {max_imprecise_acc = 64 : i64} : tensor<4x8xf8E4M3FN>, tensor<8x16xf8E5M2>, tensor<4x16xf32>
}

// CHECK-LABEL: tile.kernel @half
// WIDE-LABEL: tile.kernel @half
tile.kernel @half(%x: f16, %y: bf16, %out: !tile.view<4x4xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = tile.splat %x : tensor<4x4xf16>
  %b = tile.splat %y : tensor<4x4xbf16>
  // WIDE: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<4x4xf16>)
  // WIDE-NEXT: %[[IN:.*]] = arith.extf %[[ACC]] : tensor<4x4xf16> to tensor<4x4xf32>
  // WIDE-NEXT: %[[SUM:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[IN]] : tensor<4x4xf16>, tensor<4x4xbf16>, tensor<4x4xf32>
  // WIDE-NEXT: %[[OUT:.*]] = arith.truncf %[[SUM]] : tensor<4x4xf32> to tensor<4x4xf16>
  // WIDE-NEXT: scf.yield %[[OUT]]
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %a) -> (tensor<4x4xf16>) {
    // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x4xf16>, tensor<4x4xbf16>, tensor<4x4xf16>
    %d = tile.dot %a, %b, %acc : tensor<4x4xf16>, tensor<4x4xbf16>, tensor<4x4xf16>
    scf.yield %d : tensor<4x4xf16>
  }
  tile.store %sum, %out[%c0, %c0] : tensor<4x4xf16>, !tile.view<4x4xf16>
}

// CHECK-LABEL: tile.kernel @bytes
tile.kernel @bytes(%x: i8, %s: i32) {
  %a = tile.splat %x : tensor<4x4xi8>
  %c = tile.splat %s : tensor<4x4xi32>
  // CHECK: tile.dot {{.*}} lhs_unsigned rhs_unsigned : tensor<4x4xi8>
  %d = tile.dot %a, %a, %c lhs_unsigned rhs_unsigned : tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xi32>
}

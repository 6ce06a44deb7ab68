// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-check-assumptions))' | FileCheck %s --check-prefix=ASSERT

// CHECK-LABEL: tile.kernel @assume
// FOLD-LABEL: tile.kernel @assume
tile.kernel @assume(%n: i32, %t: i8) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %c = arith.cmpi sgt, %n, %c0 : i32
  // CHECK: tile.assume %{{.*}} : i1
  // FOLD: tile.assume %{{.*}} : i1
  // FOLD-NOT: tile.assume
  // ASSERT: tile.assert %{{.*}}, "the assumption does not hold" : i1
  tile.assume %c : i1
  // CHECK: tile.assume
  tile.assume %true : i1
}

// FOLD-LABEL: tile.kernel @tile
tile.kernel @tile(%n: i1) {
  %m = tile.splat %n : tensor<4xi1>
  // FOLD: tile.assume %{{.*}} : tensor<4xi1>
  tile.assume %m : tensor<4xi1>
}

// The right factor of a product of few rows is read as it lies in memory.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s
// Threads that share tiles out multiply a row element by element and add up once; all else has no use for this.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=THREADS
// THREADS-LABEL: tile.kernel private @columns_0_dot(
// THREADS: scf.for
// THREADS-NOT: tile.dot
// THREADS-NOT: tile.reduce
// THREADS: arith.addf
// THREADS: scf.yield
// THREADS: tile.reduce {{.*}} axis 1
// THREADS-LABEL: tile.kernel private @three_0_dot(
// THREADS-NOT: tile.reduce
// THREADS: tile.dot

// By columns, where those lie in memory: a sum, and nothing is rearranged.
// CHECK-LABEL: tile.kernel private @columns_0_dot(
// CHECK-SAME: %arg1: !tile.view<4100x1000xbf16, strides = [1, 4100]>
// CHECK-SAME: -> 1x16x2112"
// CHECK-NOT: tile.dot
// CHECK: %[[W:.*]] = tile.load %arg1{{.*}} -> tensor<2112x16xbf16>
// CHECK: %[[T:.*]] = tile.transpose %[[W]]
// CHECK: %[[Y:.*]] = tile.reshape %[[T]] : tensor<16x2112xbf16> -> tensor<16x1x2112xbf16>
// CHECK: %[[Z:.*]] = arith.extf %[[Y]]
// CHECK: %[[P:.*]] = arith.mulf {{.*}}, %[[Z]] : tensor<16x1x2112xf32>
// CHECK: tile.reduce %[[P]] axis 2
// CHECK: arith.addf {{.*}} : tensor<1x16xf32>
// CHECK: arith.truncf
func.func @columns(%x: tensor<1x4100xbf16>, %w: tensor<1000x4100xbf16>) -> tensor<1x1000xbf16> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<1x4100xbf16>, tensor<1000x4100xbf16> -> tensor<1x1000xbf16>
  return %0 : tensor<1x1000xbf16>
}

// More rows are multiplied by panels, as ever.
// CHECK-LABEL: tile.kernel private @three_0_dot(
// CHECK-SAME: -> 3x512x256"
// CHECK: tile.dot
func.func @three(%x: tensor<3x4096xf32>, %w: tensor<1000x4096xf32>) -> tensor<3x1000xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<3x4096xf32>, tensor<1000x4096xf32> -> tensor<3x1000xf32>
  return %0 : tensor<3x1000xf32>
}

// Rows in memory are read in long pieces.
// CHECK-LABEL: tile.kernel private @rows_0_dot(
// CHECK-SAME: holds 0.2:32,1.2@1:32,0.1:32 -> 5x3276x256"
// CHECK: tile.dot {{.*}} : tensor<5x256xf32>, tensor<256x3276xf32>, tensor<5x3276xf32>
func.func @rows(%x: tensor<5x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<5x4096xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<5x4096xf32>, tensor<4096x4096xf32> -> tensor<5x4096xf32>
  return %0 : tensor<5x4096xf32>
}

// A number of rows that is not known has a kernel for one.
// CHECK: tile.kernel private @open_0_dot(
// CHECK: tile.dot
// CHECK: tile.kernel private @open_0_dot_row(
// CHECK-NOT: tile.dot
// CHECK: tile.reduce
func.func @open(%x: tensor<?x512xf32>, %w: tensor<300x512xf32>) -> tensor<?x300xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [1] : tensor<?x512xf32>, tensor<300x512xf32> -> tensor<?x300xf32>
  return %0 : tensor<?x300xf32>
}

// A product whose result lies along its rows in memory has its factors exchanged: the other way around it would be stored one
// element at a time.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v3},func.func(prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s
// Threads that share tiles out rearrange what they store.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},func.func(prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=THREADS
// THREADS-LABEL: tile.kernel private @pointwise_0_dot(
// THREADS-SAME: %arg0: !tile.view<3136x64xf32, strides = [1, 3136]>
// RUN: for entry in pointwise several bytes few; do kiln-run %s --entry=$entry --target=cpu --check 2>&1; done | FileCheck %s --check-prefix=RIGHT
// RIGHT: result 0: ok: 1x256x56x56xf32
// RIGHT: result 0: ok: 3x40x100xf32
// RIGHT: result 0: ok: 33x50xi32
// RIGHT: result 0: ok: 4x100xf32

// The convolution by windows of one element of what has its channels first.
// CHECK-LABEL: tile.kernel private @pointwise_0_dot(
// CHECK-SAME: %arg0: !tile.view<256x64xf32>
// CHECK-SAME: %arg1: !tile.view<64x3136xf32>
// CHECK-SAME: %arg3: !tile.view<256x3136xf32>
// CHECK: %[[W:.*]] = tile.load %arg0
// CHECK: %[[X:.*]] = tile.load %arg1
// CHECK: tile.dot %[[W]], %[[X]]
// CHECK: tile.store {{.*}}, !tile.view<256x3136xf32>
func.func @pointwise(%x: tensor<1x64x56x56xf32>, %w: tensor<256x64x1x1xf32>, %b: tensor<256xf32>) -> tensor<1x256x56x56xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x64x56x56xf32> -> tensor<1x56x56x64xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<256x64x1x1xf32> -> tensor<256x1x1x64xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x56x56x64xf32>, tensor<256x1x1x64xf32> -> tensor<1x56x56x256xf32>
  %3 = prim.broadcast_in_dim %b dims [3] : tensor<256xf32> -> tensor<1x56x56x256xf32>
  %4 = prim.add %2, %3 : tensor<1x56x56x256xf32>
  %5 = prim.transpose %4 permutation [0, 3, 1, 2] : tensor<1x56x56x256xf32> -> tensor<1x256x56x56xf32>
  return %5 : tensor<1x256x56x56xf32>
}

// With several products, a factor that is computed, and bf16.
// CHECK-LABEL: tile.kernel private @several_0_dot(
// CHECK-SAME: %arg0: !tile.view<3x40x64xbf16
// CHECK-SAME: %arg1: !tile.view<3x64x100xf32, strides = [6400, 1, 64]>
// CHECK-SAME: %arg2: !tile.view<3x40x100xf32
// CHECK: %[[B:.*]] = tile.load %arg0
// CHECK: %[[F:.*]] = tile.load %arg1
// CHECK: arith.truncf %[[F]]
// CHECK: tile.dot %[[B]]
func.func @several(%x: tensor<3x100x64xf32>, %w: tensor<3x40x64xbf16>) -> tensor<3x40x100xf32> {
  %0 = prim.convert_element_type %x : tensor<3x100x64xf32> -> tensor<3x100x64xbf16>
  %1 = prim.dot_general %0, %w batch [0] x [0] contract [2] x [2] : tensor<3x100x64xbf16>, tensor<3x40x64xbf16> -> tensor<3x100x40xf32>
  %2 = prim.transpose %1 permutation [0, 2, 1] : tensor<3x100x40xf32> -> tensor<3x40x100xf32>
  return %2 : tensor<3x40x100xf32>
}

// Bytes.
// CHECK-LABEL: tile.kernel private @bytes_0_dot(
// CHECK-SAME: %arg0: !tile.view<33x64xi8
// CHECK-SAME: %arg1: !tile.view<64x50xi8
func.func @bytes(%x: tensor<50x64xi8>, %w: tensor<64x33xi8>) -> tensor<33x50xi32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<50x64xi8>, tensor<64x33xi8> -> tensor<50x33xi32>
  %1 = prim.transpose %0 permutation [1, 0] : tensor<50x33xi32> -> tensor<33x50xi32>
  return %1 : tensor<33x50xi32>
}

// What lies along its columns stays, and so do few rows or columns, and sizes that are not known.
// CHECK-LABEL: tile.kernel private @plain_0_dot(
// CHECK-SAME: %arg0: !tile.view<100x64xf32>
func.func @plain(%x: tensor<100x64xf32>, %w: tensor<64x40xf32>) -> tensor<100x40xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<100x64xf32>, tensor<64x40xf32> -> tensor<100x40xf32>
  return %0 : tensor<100x40xf32>
}

// CHECK-LABEL: tile.kernel private @few_0_dot(
// CHECK-SAME: %arg0: !tile.view<100x64xf32>
func.func @few(%x: tensor<100x64xf32>, %w: tensor<64x4xf32>) -> tensor<4x100xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<100x64xf32>, tensor<64x4xf32> -> tensor<100x4xf32>
  %1 = prim.transpose %0 permutation [1, 0] : tensor<100x4xf32> -> tensor<4x100xf32>
  return %1 : tensor<4x100xf32>
}

// CHECK-LABEL: tile.kernel private @open_0_dot(
// CHECK-SAME: %arg0: !tile.view<?x64xf32
func.func @open(%x: tensor<?x64xf32>, %w: tensor<64x40xf32>) -> tensor<40x?xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<?x64xf32>, tensor<64x40xf32> -> tensor<?x40xf32>
  %1 = prim.transpose %0 permutation [1, 0] : tensor<?x40xf32> -> tensor<40x?xf32>
  return %1 : tensor<40x?xf32>
}

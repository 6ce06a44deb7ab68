// Each instance of a matmul on CPUs packs its part of the right operand. Beside few columns it has more rows, and blocks of rows are
// equal: a short last block would pack as much as the others. Rows of whole blocks are read where they lie.
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v4,threads=1},func.func(prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s
// RUN: kiln-opt %s -pass-pipeline='builtin.module(kiln-set-target{spec=cpu:x86-64-v4,threads=2},func.func(prim-simplify,prim-fuse),convert-prim-to-tile)' | FileCheck %s --check-prefix=TWO

// CHECK: tiling = "contraction 784x128x512 {{.*}} -> 784x128x
// TWO: tiling = "contraction 784x128x512 {{.*}} -> 392x128x
func.func @few_columns(%x: tensor<784x512xf32>, %w: tensor<512x128xf32>) -> tensor<784x128xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<784x512xf32>, tensor<512x128xf32> -> tensor<784x128xf32>
  return %0 : tensor<784x128xf32>
}

// CHECK: tiling = "contraction 3136x256x64 {{.*}} -> 448x256x64"
func.func @more_columns(%x: tensor<3136x64xf32>, %w: tensor<64x256xf32>) -> tensor<3136x256xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<3136x64xf32>, tensor<64x256xf32> -> tensor<3136x256xf32>
  return %0 : tensor<3136x256xf32>
}

// CHECK: tiling = "contraction 1000x1000x1000 {{.*}} -> 250x512x
func.func @many_columns(%x: tensor<1000x1000xf32>, %w: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<1000x1000xf32>, tensor<1000x1000xf32> -> tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}

// No equal blocks are whole: 1013 is prime.
// CHECK: tiling = "contraction 1013x1024x64 {{.*}} -> 254x512x64"
func.func @prime(%x: tensor<1013x64xf32>, %w: tensor<64x1024xf32>) -> tensor<1013x1024xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<1013x64xf32>, tensor<64x1024xf32> -> tensor<1013x1024xf32>
  return %0 : tensor<1013x1024xf32>
}

// At most four times as many rows.
// CHECK: tiling = "contraction 4096x16x256 {{.*}} -> 1024x16x
func.func @tall(%x: tensor<4096x256xf32>, %w: tensor<256x16xf32>) -> tensor<4096x16xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<4096x256xf32>, tensor<256x16xf32> -> tensor<4096x16xf32>
  return %0 : tensor<4096x16xf32>
}

// Among many blocks few are tried, so that huge matmuls are planned at once.
// CHECK: tiling = "contraction 8796093022151x2x8 {{.*}} -> 1024x2x8"
func.func @huge(%x: tensor<8796093022151x8xi8>, %w: tensor<8x2xi8>) -> tensor<8796093022151x2xi32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<8796093022151x8xi8>, tensor<8x2xi8> -> tensor<8796093022151x2xi32>
  return %0 : tensor<8796093022151x2xi32>
}

// A grid gives every thread a part where the product is worth it: columns if there are more of
// them than rows, in equal shares. Small products stay whole.

// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=8 --emit=program | FileCheck %s --check-prefix=EIGHT
// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=1 --emit=program | FileCheck %s --check-prefix=ONE
// RUN: kiln-run %s --target=cpu,threads=8 --check --entry=gemv
// RUN: kiln-run %s --target=cpu,threads=3 --check --entry=tall
// RUN: kiln-run %s --target=cpu,threads=5 --check --entry=wide

// EIGHT: tile.kernel private @gemv_0_dot({{.*}}attributes {tiling = "contraction 1<=1x512x4096 f32*f32+f32 holds {{.*}} -> 1x64x256"}
// EIGHT-LABEL: program.func @gemv
// EIGHT: grid(%c8, %c1, %c1)
// EIGHT-LABEL: program.func @tall
// EIGHT: grid(%c8, %c1, %c1)
// EIGHT-LABEL: program.func @wide
// EIGHT: grid(%c8, %c1, %c1)
// EIGHT-LABEL: program.func @small
// EIGHT: grid(%c1, %c1, %c1)

// ONE-NOT: -> 1x64x
// ONE-LABEL: program.func @gemv
// ONE: grid(%c1, %c1, %c1)

func.func @gemv(%x: tensor<1x4096xf32>, %w: tensor<4096x512xf32>) -> tensor<1x512xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<1x4096xf32>, tensor<4096x512xf32> -> tensor<1x512xf32>
  return %0 : tensor<1x512xf32>
}
func.func @tall(%x: tensor<1000x512xf32>, %w: tensor<512x50xf32>) -> tensor<1000x50xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<1000x512xf32>, tensor<512x50xf32> -> tensor<1000x50xf32>
  return %0 : tensor<1000x50xf32>
}
func.func @wide(%x: tensor<64x256xf32>, %w: tensor<256x3000xf32>) -> tensor<64x3000xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<64x256xf32>, tensor<256x3000xf32> -> tensor<64x3000xf32>
  return %0 : tensor<64x3000xf32>
}
func.func @small(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = prim.dot_general %x, %w batch [] x [] contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Sums of columns have their columns to share.
// RUN: kiln-run %s --target=cpu,threads=3 --check --entry=columns
// EIGHT-LABEL: program.func @columns
// EIGHT: grid(%c8, %c1, %c1)
func.func @columns(%x: tensor<4000x1000xf32>) -> tensor<1000xf32> {
  %0 = prim.sum %x dims [0] : tensor<4000x1000xf32> -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

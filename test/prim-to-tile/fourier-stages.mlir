// Machines whose threads share tiles transform whole lines of a power of two in one kernel, in stages of up to 16 elements: between two of
// them elements change places, twice, for real and imaginary parts. Other transforms become products with matrices, as on other targets.
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_80,ptxas=none --no-fallback --emit=program --explain 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: for entry in lines real columns one wide other back back_columns pairs pair_columns none turned turned_back two two_back long_columns; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=$entry || exit 1; done
// RUN: kiln-run %s --target=amd:gfx90a,device=sim --no-fallback --check --entry=many_columns
// RUN: for size in 1 3; do kiln-run %s --target=amd:gfx942,device=sim --no-fallback --check --entry=open --dim=$size || exit 1; done

// 1024 = 8 * 8 * 16.
// CHECK-LABEL: tile.kernel private @lines_
// CHECK-COUNT-16: tile.load {{.*}} tensor<2x128xf32>
// CHECK: tile.transpose {{.*}} [0, 2, 4, 3, 1] : tensor<2x8x16x1x8xf32> -> tensor<2x16x8x1x8xf32>
// CHECK: tile.transpose
// CHECK: tile.transpose {{.*}} [0, 2, 4, 3, 1] : tensor<2x16x1x8x8xf32> -> tensor<2x1x8x8x16xf32>
// CHECK: tile.transpose
// CHECK-NOT: tile.transpose
// CHECK-COUNT-32: tile.store {{.*}} tensor<2x64xf32>
// CHECK-NOT: tile.kernel private @lines
func.func @lines(%x: tensor<5x1024xf32>, %y: tensor<5x1024xf32>) -> (tensor<5x1024xf32>, tensor<5x1024xf32>) {
  %r, %i = prim.fourier %x, %y dim 1 : tensor<5x1024xf32>, tensor<5x1024xf32> -> tensor<5x1024xf32>, tensor<5x1024xf32>
  return %r, %i : tensor<5x1024xf32>, tensor<5x1024xf32>
}
// Of real lines the first half of the results is stored, and the one in the middle.
// CHECK-LABEL: tile.kernel private @real_
// CHECK-COUNT-16: tile.load {{.*}} tensor<4x16xf32>
// CHECK-COUNT-18: tile.store {{.*}} tensor<4x16xf32>
// CHECK-NOT: tile.store
// CHECK-LABEL: tile.kernel private @columns
func.func @real(%x: tensor<2x3x256xf32>) -> (tensor<2x3x129xf32>, tensor<2x3x129xf32>) {
  %r, %i = prim.fourier %x dim 2 : tensor<2x3x256xf32> -> tensor<2x3x129xf32>, tensor<2x3x129xf32>
  return %r, %i : tensor<2x3x129xf32>, tensor<2x3x129xf32>
}
func.func @columns(%x: tensor<2x128x18xf32>, %y: tensor<2x128x18xf32>) -> (tensor<2x128x18xf32>, tensor<2x128x18xf32>) {
  %r, %i = prim.fourier %x, %y dim 1 inverse : tensor<2x128x18xf32>, tensor<2x128x18xf32> -> tensor<2x128x18xf32>, tensor<2x128x18xf32>
  return %r, %i : tensor<2x128x18xf32>, tensor<2x128x18xf32>
}
func.func @one(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %r, %i = prim.fourier %x, %y dim 0 : tensor<4096xf32>, tensor<4096xf32> -> tensor<4096xf32>, tensor<4096xf32>
  return %r, %i : tensor<4096xf32>, tensor<4096xf32>
}
func.func @wide(%x: tensor<3x64xf64>, %y: tensor<3x64xf64>) -> (tensor<3x64xf64>, tensor<3x64xf64>) {
  %r, %i = prim.fourier %x, %y dim 1 : tensor<3x64xf64>, tensor<3x64xf64> -> tensor<3x64xf64>, tensor<3x64xf64>
  return %r, %i : tensor<3x64xf64>, tensor<3x64xf64>
}
// WHY: declined by generic.fourier: the length is no power of two
func.func @other(%x: tensor<3x96xf32>) -> (tensor<3x49xf32>, tensor<3x49xf32>) {
  %r, %i = prim.fourier %x dim 1 : tensor<3x96xf32> -> tensor<3x49xf32>, tensor<3x49xf32>
  return %r, %i : tensor<3x49xf32>, tensor<3x49xf32>
}
// Of a real result the second half of the operands is the first one backwards. The imaginary parts of its ends count for nothing.
// CHECK-LABEL: tile.kernel private @back_
// CHECK-SAME: strides = [65, -1]
// CHECK-COUNT-2: arith.select
// CHECK-NOT: arith.select
// CHECK-COUNT-16: tile.store {{.*}} tensor<4x8xf32>
// CHECK-NOT: tile.store
func.func @back(%x: tensor<3x65xf32>, %y: tensor<3x65xf32>) -> tensor<3x128xf32> {
  %s = prim.fourier %x, %y dim 1 inverse : tensor<3x65xf32>, tensor<3x65xf32> -> tensor<3x128xf32>
  return %s : tensor<3x128xf32>
}
// CHECK-LABEL: tile.kernel private @back_columns_
func.func @back_columns(%x: tensor<129x20xf32>, %y: tensor<129x20xf32>) -> tensor<256x20xf32> {
  %s = prim.fourier %x, %y dim 0 inverse : tensor<129x20xf32>, tensor<129x20xf32> -> tensor<256x20xf32>
  return %s : tensor<256x20xf32>
}
func.func @open(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %r, %i = prim.fourier %x, %y dim 1 : tensor<?x64xf32>, tensor<?x64xf32> -> tensor<?x64xf32>, tensor<?x64xf32>
  return %r, %i : tensor<?x64xf32>, tensor<?x64xf32>
}
// Real and imaginary parts that lie side by side in memory are loaded and stored together.
// CHECK-LABEL: tile.kernel private @pairs_
// CHECK: tile.load {{.*}} tensor<8x16x2xf32>
// CHECK: tile.split {{.*}} -> tensor<8x16xf32>
// CHECK: tile.join {{.*}} -> tensor<8x16x2xf32>
// CHECK: tile.store {{.*}} tensor<8x16x2xf32>
func.func @pairs(%x: tensor<11x256x2xf32>) -> tensor<11x256x2xf32> {
  %0 = prim.slice %x starts [0, 0, 0] limits [11, 256, 1] strides [1, 1, 1] : tensor<11x256x2xf32> -> tensor<11x256x1xf32>
  %1 = prim.reshape %0 : tensor<11x256x1xf32> -> tensor<11x256xf32>
  %2 = prim.slice %x starts [0, 0, 1] limits [11, 256, 2] strides [1, 1, 1] : tensor<11x256x2xf32> -> tensor<11x256x1xf32>
  %3 = prim.reshape %2 : tensor<11x256x1xf32> -> tensor<11x256xf32>
  %r, %i = prim.fourier %1, %3 dim 1 : tensor<11x256xf32>, tensor<11x256xf32> -> tensor<11x256xf32>, tensor<11x256xf32>
  %4 = prim.reshape %r : tensor<11x256xf32> -> tensor<11x256x1xf32>
  %5 = prim.reshape %i : tensor<11x256xf32> -> tensor<11x256x1xf32>
  %6 = prim.cat %4, %5 dim 2 : tensor<11x256x1xf32>, tensor<11x256x1xf32> -> tensor<11x256x2xf32>
  return %6 : tensor<11x256x2xf32>
}
// Also of columns, neighbours of which are neighbours in tiles, too.
// CHECK-LABEL: tile.kernel private @pair_columns_
// CHECK: tile.load {{.*}} tensor<8x32x2xf32>
// CHECK: tile.store {{.*}} tensor<8x32x2xf32>
func.func @pair_columns(%x: tensor<64x22x2xf32>) -> tensor<64x22x2xf32> {
  %0 = prim.slice %x starts [0, 0, 0] limits [64, 22, 1] strides [1, 1, 1] : tensor<64x22x2xf32> -> tensor<64x22x1xf32>
  %1 = prim.reshape %0 : tensor<64x22x1xf32> -> tensor<64x22xf32>
  %2 = prim.slice %x starts [0, 0, 1] limits [64, 22, 2] strides [1, 1, 1] : tensor<64x22x2xf32> -> tensor<64x22x1xf32>
  %3 = prim.reshape %2 : tensor<64x22x1xf32> -> tensor<64x22xf32>
  %r, %i = prim.fourier %1, %3 dim 0 : tensor<64x22xf32>, tensor<64x22xf32> -> tensor<64x22xf32>, tensor<64x22xf32>
  %4 = prim.reshape %r : tensor<64x22xf32> -> tensor<64x22x1xf32>
  %5 = prim.reshape %i : tensor<64x22xf32> -> tensor<64x22x1xf32>
  %6 = prim.cat %4, %5 dim 2 : tensor<64x22x1xf32>, tensor<64x22x1xf32> -> tensor<64x22x2xf32>
  return %6 : tensor<64x22x2xf32>
}
// Where all cores have an instance, one has as many columns as memory transfers together, 128 bytes, and as many threads as have 16
// elements each.
// CHECK-LABEL: tile.kernel private @many_columns_
// CHECK-SAME: tile.hints = #tile.kernel_hints<warps = 8>
// CHECK: tile.load {{.*}} tensor<16x16x2xf32>
func.func @many_columns(%x: tensor<112x256x16x2xf32>) -> tensor<112x256x16x2xf32> {
  %0 = prim.slice %x starts [0, 0, 0, 0] limits [112, 256, 16, 1] strides [1, 1, 1, 1] : tensor<112x256x16x2xf32> -> tensor<112x256x16x1xf32>
  %1 = prim.reshape %0 : tensor<112x256x16x1xf32> -> tensor<112x256x16xf32>
  %2 = prim.slice %x starts [0, 0, 0, 1] limits [112, 256, 16, 2] strides [1, 1, 1, 1] : tensor<112x256x16x2xf32> -> tensor<112x256x16x1xf32>
  %3 = prim.reshape %2 : tensor<112x256x16x1xf32> -> tensor<112x256x16xf32>
  %r, %i = prim.fourier %1, %3 dim 1 : tensor<112x256x16xf32>, tensor<112x256x16xf32> -> tensor<112x256x16xf32>, tensor<112x256x16xf32>
  %4 = prim.reshape %r : tensor<112x256x16xf32> -> tensor<112x256x16x1xf32>
  %5 = prim.reshape %i : tensor<112x256x16xf32> -> tensor<112x256x16x1xf32>
  %6 = prim.cat %4, %5 dim 3 : tensor<112x256x16x1xf32>, tensor<112x256x16x1xf32> -> tensor<112x256x16x2xf32>
  return %6 : tensor<112x256x16x2xf32>
}
func.func @none(%x: tensor<3x0x64xf32>, %y: tensor<64x0xf32>) -> (tensor<3x0x33xf32>, tensor<33x0xf32>) {
  %r, %i = prim.fourier %x dim 2 : tensor<3x0x64xf32> -> tensor<3x0x33xf32>, tensor<3x0x33xf32>
  %s, %j = prim.fourier %y dim 0 : tensor<64x0xf32> -> tensor<33x0xf32>, tensor<33x0xf32>
  return %i, %s : tensor<3x0x33xf32>, tensor<33x0xf32>
}
// Columns whose results are to lie as lines: the last exchange puts neighbours of a line into neighbouring threads, and the kernel writes both
// parts where the concatenation has them. PyTorch has results along other dimensions than the last one so.
// CHECK-LABEL: tile.kernel private @turned_
// CHECK-COUNT-8: tile.load {{.*}} tensor<16x16x2xf32>
// CHECK: tile.transpose {{.*}} [3, 1, 4, 2, 0, 5] : tensor<16x1x1x16x8x2xf32> -> tensor<16x1x8x1x16x2xf32>
// CHECK-COUNT-16: tile.store {{.*}} : tensor<16x8x2xf32>, !tile.view<3x20x128x2xf32>
// CHECK-NOT: tile.kernel private @turned_1
func.func @turned(%x: tensor<3x128x20x2xf32>) -> tensor<3x20x128x2xf32> {
  %0 = prim.slice %x starts [0, 0, 0, 0] limits [3, 128, 20, 1] strides [1, 1, 1, 1] : tensor<3x128x20x2xf32> -> tensor<3x128x20x1xf32>
  %1 = prim.reshape %0 : tensor<3x128x20x1xf32> -> tensor<3x128x20xf32>
  %2 = prim.slice %x starts [0, 0, 0, 1] limits [3, 128, 20, 2] strides [1, 1, 1, 1] : tensor<3x128x20x2xf32> -> tensor<3x128x20x1xf32>
  %3 = prim.reshape %2 : tensor<3x128x20x1xf32> -> tensor<3x128x20xf32>
  %r, %i = prim.fourier %1, %3 dim 1 : tensor<3x128x20xf32>, tensor<3x128x20xf32> -> tensor<3x128x20xf32>, tensor<3x128x20xf32>
  %4 = prim.transpose %r permutation [0, 2, 1] : tensor<3x128x20xf32> -> tensor<3x20x128xf32>
  %5 = prim.transpose %i permutation [0, 2, 1] : tensor<3x128x20xf32> -> tensor<3x20x128xf32>
  %6 = prim.reshape %4 : tensor<3x20x128xf32> -> tensor<3x20x128x1xf32>
  %7 = prim.reshape %5 : tensor<3x20x128xf32> -> tensor<3x20x128x1xf32>
  %8 = prim.cat %6, %7 dim 3 : tensor<3x20x128x1xf32>, tensor<3x20x128x1xf32> -> tensor<3x20x128x2xf32>
  return %8 : tensor<3x20x128x2xf32>
}
// Lines whose results are to lie as columns.
func.func @turned_back(%x: tensor<20x64xf32>) -> tensor<33x20x2xf32> {
  %r, %i = prim.fourier %x dim 1 : tensor<20x64xf32> -> tensor<20x33xf32>, tensor<20x33xf32>
  %0 = prim.transpose %r permutation [1, 0] : tensor<20x33xf32> -> tensor<33x20xf32>
  %1 = prim.transpose %i permutation [1, 0] : tensor<20x33xf32> -> tensor<33x20xf32>
  %2 = prim.reshape %0 : tensor<33x20xf32> -> tensor<33x20x1xf32>
  %3 = prim.reshape %1 : tensor<33x20xf32> -> tensor<33x20x1xf32>
  %4 = prim.cat %2, %3 dim 2 : tensor<33x20x1xf32>, tensor<33x20x1xf32> -> tensor<33x20x2xf32>
  return %4 : tensor<33x20x2xf32>
}
// What one transform leaves for another is pairs.
// CHECK-LABEL: tile.kernel private @two_0_fourier
// CHECK: tile.store {{.*}} !tile.view<{{.*}}x2xf32
// CHECK-LABEL: tile.kernel private @two_1_fourier
// CHECK: tile.load {{.*}} !tile.view<{{.*}}x2xf32
func.func @two(%x: tensor<3x64x128xf32>, %y: tensor<3x64x128xf32>) -> (tensor<3x64x128xf32>, tensor<3x64x128xf32>) {
  %r, %i = prim.fourier %x, %y dim 1 : tensor<3x64x128xf32>, tensor<3x64x128xf32> -> tensor<3x64x128xf32>, tensor<3x64x128xf32>
  %s, %j = prim.fourier %r, %i dim 2 : tensor<3x64x128xf32>, tensor<3x64x128xf32> -> tensor<3x64x128xf32>, tensor<3x64x128xf32>
  return %s, %j : tensor<3x64x128xf32>, tensor<3x64x128xf32>
}
func.func @two_back(%x: tensor<3x64x65xf32>, %y: tensor<3x64x65xf32>) -> tensor<3x64x128xf32> {
  %r, %i = prim.fourier %x, %y dim 1 inverse : tensor<3x64x65xf32>, tensor<3x64x65xf32> -> tensor<3x64x65xf32>, tensor<3x64x65xf32>
  %s = prim.fourier %r, %i dim 2 inverse : tensor<3x64x65xf32>, tensor<3x64x65xf32> -> tensor<3x64x128xf32>
  return %s : tensor<3x64x128xf32>
}
// Blocks of long columns have few of them, down to 32 bytes of neighbours, and more threads.
// CHECK-LABEL: tile.kernel private @long_columns_
// CHECK-SAME: warps = 16
// CHECK: tile.load {{.*}} tensor<256x4x2xf32>
func.func @long_columns(%x: tensor<2048x4x2xf32>) -> tensor<2048x4x2xf32> {
  %0 = prim.slice %x starts [0, 0, 0] limits [2048, 4, 1] strides [1, 1, 1] : tensor<2048x4x2xf32> -> tensor<2048x4x1xf32>
  %1 = prim.reshape %0 : tensor<2048x4x1xf32> -> tensor<2048x4xf32>
  %2 = prim.slice %x starts [0, 0, 1] limits [2048, 4, 2] strides [1, 1, 1] : tensor<2048x4x2xf32> -> tensor<2048x4x1xf32>
  %3 = prim.reshape %2 : tensor<2048x4x1xf32> -> tensor<2048x4xf32>
  %r, %i = prim.fourier %1, %3 dim 0 : tensor<2048x4xf32>, tensor<2048x4xf32> -> tensor<2048x4xf32>, tensor<2048x4xf32>
  %4 = prim.reshape %r : tensor<2048x4xf32> -> tensor<2048x4x1xf32>
  %5 = prim.reshape %i : tensor<2048x4xf32> -> tensor<2048x4x1xf32>
  %6 = prim.cat %4, %5 dim 2 : tensor<2048x4x1xf32>, tensor<2048x4x1xf32> -> tensor<2048x4x2xf32>
  return %6 : tensor<2048x4x2xf32>
}

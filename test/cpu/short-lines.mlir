// Panels of patches whose lines of positions are shorter than a vector are read line by line under masks, three lines for 16
// lanes of lines of 14, in place of pieces of two elements; also with a stride, and where the last vector reaches beyond the tile.
// RUN: kiln-compile %s --target=cpu:x86-64-v4,threads=1 --entry=stride --emit=target | FileCheck %s
// RUN: kiln-run %s --target=cpu,threads=1 --entry=stride --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu,threads=1 --entry=sevens --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu,threads=1 --entry=sevens --inputs=hurt --check --no-fallback | FileCheck %s --check-prefix=RESULT
// RUN: kiln-compile %s --target=cpu:x86-64-v2,threads=1 --entry=sevens --no-fallback -o %t.kiln
// RUN: kiln-run %t.kiln --check | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu --entry=one_step --grid=1 --arg=random:1:f32:3x1 --arg=random:2:f32:30x7 --arg=zeros:f32:3x210 --check --no-fallback | FileCheck %s --check-prefix=KERNEL
// RUN: kiln-run %s --target=cpu:x86-64-v3 --entry=one_step --grid=1 --arg=random:1:f32:3x1 --arg=random:2:f32:30x7 --arg=zeros:f32:3x210 --check --no-fallback | FileCheck %s --check-prefix=KERNEL
// REQUIRES: x86_64, avx2

// RESULT: result 0: ok
// KERNEL: (out): ok

// CHECK-LABEL: llvm.func @stride_0_conv(
// CHECK-COUNT-3: llvm.intr.masked.load {{.*}} -> vector<16xf32>
func.func @stride(%x: tensor<2x32x27x27xf32>, %w: tensor<48x32x3x3xf32>) -> tensor<2x48x14x14xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<2x32x27x27xf32> -> tensor<2x27x27x32xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<48x32x3x3xf32> -> tensor<48x3x3x32xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 2, 2>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x27x27x32xf32>, tensor<48x3x3x32xf32> -> tensor<2x14x14x48xf32>
  %3 = prim.transpose %2 permutation [0, 3, 1, 2] : tensor<2x14x14x48xf32> -> tensor<2x48x14x14xf32>
  return %3 : tensor<2x48x14x14xf32>
}

func.func @sevens(%x: tensor<3x16x7x7xf32>, %w: tensor<40x16x3x3xf32>) -> tensor<3x40x7x7xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<3x16x7x7xf32> -> tensor<3x7x7x16xf32>
  %1 = prim.transpose %w permutation [0, 2, 3, 1] : tensor<40x16x3x3xf32> -> tensor<40x3x3x16xf32>
  %2 = prim.conv %0, %1 {strides = array<i64: 1, 1>, pad_low = array<i64: 1, 1>, pad_high = array<i64: 1, 1>, dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x7x7x16xf32>, tensor<40x3x3x16xf32> -> tensor<3x7x7x40xf32>
  %3 = prim.transpose %2 permutation [0, 3, 1, 2] : tensor<3x7x7x40xf32> -> tensor<3x40x7x7xf32>
  return %3 : tensor<3x40x7x7xf32>
}

// A product of one step: the loop over steps counts nothing that the lines follow from.
tile.kernel @one_step(%x: !tile.view<3x1xf32> {tile.readonly}, %y: !tile.view<30x7xf32> {tile.readonly}, %out: !tile.view<3x210xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<3x210xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<3x1xf32> -> tensor<3x1xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<30x7xf32> -> tensor<30x7xf32>
  %row = tile.reshape %b : tensor<30x7xf32> -> tensor<1x210xf32>
  %product = tile.dot %a, %row, %zero : tensor<3x1xf32>, tensor<1x210xf32>, tensor<3x210xf32>
  tile.store %product, %out[%c0, %c0] : tensor<3x210xf32>, !tile.view<3x210xf32>
}

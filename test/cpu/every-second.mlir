// Every second element of a row is read by two vectors of neighbours and a shuffle, at edges under a mask that leaves out what
// lies between; where the machine has no such loads, by a gather.
// RUN: kiln-compile %s --target=cpu:x86-64-v4 --emit=asm | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=window --check | FileCheck %s --check-prefix=RESULT
// RUN: kiln-run %s --target=cpu --entry=joined --check | FileCheck %s --check-prefix=RESULT
// REQUIRES: x86_64

// CHECK-NOT: gather
// RESULT: ok

// 14 of 16 lanes: each load is masked.
func.func @window(%x: tensor<1x96x28x28xf32>, %w: tensor<96x5x5x1xf32>) -> tensor<1x96x14x14xf32> {
  %0 = prim.transpose %x permutation [0, 2, 3, 1] : tensor<1x96x28x28xf32> -> tensor<1x28x28x96xf32>
  %1 = prim.conv %0, %w {strides = array<i64: 2, 2>, pad_low = array<i64: 2, 2>, pad_high = array<i64: 2, 2>,
    dilation = array<i64: 1, 1>, input_dilation = array<i64: 1, 1>, groups = 96 : i64} : tensor<1x28x28x96xf32>, tensor<96x5x5x1xf32> -> tensor<1x14x14x96xf32>
  %2 = prim.transpose %1 permutation [0, 3, 1, 2] : tensor<1x14x14x96xf32> -> tensor<1x96x14x14xf32>
  return %2 : tensor<1x96x14x14xf32>
}

// So is one written: by two masked vectors, not by a scatter.
// CHECK-NOT: scatter
func.func @joined(%x: tensor<5x100xf32>, %y: tensor<5x100xf32>) -> tensor<5x100x2xf32> {
  %a = prim.add %x, %y : tensor<5x100xf32>
  %b = prim.mul %x, %y : tensor<5x100xf32>
  %c = prim.reshape %a : tensor<5x100xf32> -> tensor<5x100x1xf32>
  %d = prim.reshape %b : tensor<5x100xf32> -> tensor<5x100x1xf32>
  %r = prim.cat %c, %d dim 2 : tensor<5x100x1xf32>, tensor<5x100x1xf32> -> tensor<5x100x2xf32>
  return %r : tensor<5x100x2xf32>
}

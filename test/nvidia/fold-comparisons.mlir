// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons that others decide are folded: in a loop up to the end of a row, some of it is left. Code that is ordered for register
// pressure goes without.
// RUN: kiln-compile %s --target=nvidia:sm_90a --emit=llvm | FileCheck %s
// RUN: kiln-compile %s --target=nvidia:sm_90a,order=on --emit=llvm | FileCheck %s --check-prefix=ORDERED

// CHECK: define {{.*}} @sums
// CHECK-NOT: @llvm.smax
// CHECK: ret void
// ORDERED: define {{.*}} @sums
// ORDERED: call i64 @llvm.smax
tile.kernel @sums(%x: !tile.ptr<f32> {tile.readonly, tile.align = 16 : i64}, %o: !tile.view<128xf32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %first = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %none = arith.constant 0 : index
  %end = arith.index_cast %n : i32 to index
  %sum = scf.for %i = %first to %n step %step iter_args(%s = %zero) -> tensor<128xf32> : i32 {
    %at = arith.index_cast %i : i32 to index
    %left = arith.subi %end, %at : index
    %some = arith.maxsi %left, %none : index
    %p = tile.ptr_add %x, %at : !tile.ptr<f32>, index
    %v = tile.make_view %p sizes[%some] : !tile.ptr<f32> -> !tile.view<?xf32, strides = [1]>
    %t = tile.load %v[%c0] : !tile.view<?xf32, strides = [1]> -> tensor<128xf32>
    %m = arith.addf %s, %t : tensor<128xf32>
    scf.yield %m : tensor<128xf32>
  }
  tile.store %sum, %o[%c0] : tensor<128xf32>, !tile.view<128xf32>
}

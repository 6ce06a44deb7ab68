// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that makes a ring of its own stands between two loops with rings: the counters of the first ring, which it does not
// touch, are the same behind it. Threads are executed.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt)' | FileCheck %s
// RUN: kiln-run %s --entry=between --target=reference,threads=nvidia:sm_90a,seed=2 --grid=1 --arg=random:1:f16:128x64 --arg=random:2:f16:128x64 --arg=zeros:f32:32x32 --check \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RIGHT: argument 2 (o): ok: 32x32xf32
// CHECK-LABEL: llvm.func @between
// CHECK-COUNT-6: simt.commit_copies
tile.kernel @between(%a: !tile.view<128x64xf16> {tile.readonly, tile.align = 16 : i64}, %b: !tile.view<128x64xf16> {tile.readonly, tile.align = 16 : i64},
                     %o: !tile.view<32x32xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %first = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
    %x = tile.load %a[%j, %c0] : !tile.view<128x64xf16> -> tensor<32x64xf16>
    %y = tile.load %b[%j, %c0] : !tile.view<128x64xf16> -> tensor<32x64xf16>
    %yt = tile.transpose %y [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
    %next = tile.dot %x, %yt, %acc : tensor<32x64xf16>, tensor<64x32xf16>, tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %second = scf.for %i = %c0 to %c2 step %c1 iter_args(%sum = %first) -> (tensor<32x32xf32>) {
    %inner = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %sum) -> (tensor<32x32xf32>) {
      %x = tile.load %a[%j, %c0] : !tile.view<128x64xf16> -> tensor<32x64xf16>
      %y = tile.load %b[%j, %c0] : !tile.view<128x64xf16> -> tensor<32x64xf16>
      %yt = tile.transpose %y [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
      %next = tile.dot %x, %yt, %acc : tensor<32x64xf16>, tensor<64x32xf16>, tensor<32x32xf32>
      scf.yield %next : tensor<32x32xf32>
    }
    scf.yield %inner : tensor<32x32xf32>
  }
  %third = scf.for %j = %c0 to %c4 step %c1 iter_args(%acc = %second) -> (tensor<32x32xf32>) {
    %x = tile.load %b[%j, %c0] : !tile.view<128x64xf16> -> tensor<32x64xf16>
    %y = tile.load %a[%j, %c0] : !tile.view<128x64xf16> -> tensor<32x64xf16>
    %yt = tile.transpose %y [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
    %next = tile.dot %x, %yt, %acc : tensor<32x64xf16>, tensor<64x32xf16>, tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  tile.store %third, %o[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

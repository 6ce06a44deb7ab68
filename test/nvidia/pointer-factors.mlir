// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A factor that a loop loads by pointers lies in shared memory as it does in the memory of the launch. Where an instruction cannot read it so,
// the product takes fragments.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands))' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,llvm.func(simt-verify-barriers))' -o /dev/null

// CHECK-LABEL: tile.kernel @across
// CHECK: scf.for
// CHECK-NOT: wgmma
// CHECK: tile.dot {{.*}} {simt.decided = {row = "mma.m16n8k8.f32.tf32"}}
tile.kernel @across(%a: !tile.ptr<f32> {tile.readonly, tile.align = 16 : i64}, %b: !tile.ptr<f32> {tile.readonly, tile.align = 16 : i64},
                    %o: !tile.view<64x64xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %width = arith.constant dense<64> : tensor<64x64xi32>
  %n = tile.iota 0 : tensor<64xi32>
  %r0 = tile.expand_dims %n axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %q0 = tile.expand_dims %n axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %r0 : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %q0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %begin = arith.muli %rows, %width : tensor<64x64xi32>
  %at = arith.addi %begin, %columns : tensor<64x64xi32>
  %as = tile.splat %a : tensor<64x64x!tile.ptr<f32>>
  %bs = tile.splat %b : tensor<64x64x!tile.ptr<f32>>
  %ap = tile.ptr_add %as, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %bp = tile.ptr_add %bs, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load_ptr %ap : tensor<64x64x!tile.ptr<f32>> -> tensor<64x64xf32>
    %y = tile.load_ptr %bp : tensor<64x64x!tile.ptr<f32>> -> tensor<64x64xf32>
    %next = tile.dot %x, %y, %acc precision tf32 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %r, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// CHECK-LABEL: tile.kernel @along
// CHECK: scf.for
// CHECK: stage.write
// CHECK: tile.dot {{.*}} {simt.decided = {row = "wgmma.m64k8.f32.tf32"}}
tile.kernel @along(%a: !tile.ptr<f32> {tile.readonly, tile.align = 16 : i64}, %b: !tile.ptr<f32> {tile.readonly, tile.align = 16 : i64},
                   %o: !tile.view<64x64xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %width = arith.constant dense<64> : tensor<64x64xi32>
  %n = tile.iota 0 : tensor<64xi32>
  %r0 = tile.expand_dims %n axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %q0 = tile.expand_dims %n axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %r0 : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %q0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %begin = arith.muli %rows, %width : tensor<64x64xi32>
  %at = arith.addi %begin, %columns : tensor<64x64xi32>
  %as = tile.splat %a : tensor<64x64x!tile.ptr<f32>>
  %bs = tile.splat %b : tensor<64x64x!tile.ptr<f32>>
  %ap = tile.ptr_add %as, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %bp = tile.ptr_add %bs, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load_ptr %ap : tensor<64x64x!tile.ptr<f32>> -> tensor<64x64xf32>
    %y = tile.load_ptr %bp : tensor<64x64x!tile.ptr<f32>> -> tensor<64x64xf32>
    %t = tile.transpose %y [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %next = tile.dot %x, %t, %acc precision tf32 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %r, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

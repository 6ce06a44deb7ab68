// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly that is a barrier alone is one: accesses keep their order on every target. So do launches, whatever a kernel
// says of those before and after it. Other text stays.
// RUN: kiln-opt %s --convert-triton-to-tile | FileCheck %s
// RUN: kiln-run %s --entry=turned --target=cpu --check --grid=1 --arg=random:1:i32:64

// CHECK-LABEL: tile.kernel @turned
// CHECK-NOT: tile.inline_asm
tt.func public @turned(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %last = arith.constant dense<63> : tensor<64xi32>
  %t = arith.subi %last, %r : tensor<64xi32>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %p, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %s = tt.addptr %p, %t : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %wait = tt.elementwise_inline_asm "griddepcontrol.wait; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %v = tt.load %q : tensor<64x!tt.ptr<i32>>
  %go = tt.elementwise_inline_asm "griddepcontrol.launch_dependents; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %0 = tt.elementwise_inline_asm "bar.sync 0;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  tt.store %s, %v : tensor<64x!tt.ptr<i32>>
  %1 = tt.elementwise_inline_asm "{ barrier.sync.aligned 1, 128; }" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %v : tensor<64xi32> -> tensor<64xi32>
  %w = tt.load %q : tensor<64x!tt.ptr<i32>>
  %d = arith.addi %w, %v : tensor<64xi32>
  %2 = tt.elementwise_inline_asm "bar.warp.sync 0xffffffff;" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  tt.store %q, %d : tensor<64x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: tile.kernel @kept
// CHECK-COUNT-3: tile.inline_asm
tt.func public @kept(%x: !tt.ptr<i32>, %v: i32) {
  %0 = tt.elementwise_inline_asm "bar.sync 0; mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %v : i32 -> i32
  %1 = tt.elementwise_inline_asm "bar.red.popc.u32 $0, 0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %0 : i32 -> i32
  %2 = tt.elementwise_inline_asm "bar.sync 0; // wait\0Amov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %1 : i32 -> i32
  tt.store %x, %2 : !tt.ptr<i32>
  tt.return
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop in which one thread loads and stores scalars: no barrier, and a count that the assembler recognises, as it is compared
// with all the bits of the address that it is a part of. The other threads read the sum behind a barrier, without a race.
// RUN: kiln-compile %s --target=nvidia:sm_90a,ptxas=none --no-fallback --emit=asm -o - | FileCheck %s
// RUN: kiln-run %s --target=reference,threads=nvidia:sm_90a --grid=2 --arg=random:1:i32:64 --arg=random:2:i32:64 --check

// CHECK-LABEL: .entry running_sum(
// CHECK: bar.sync
// CHECK-NEXT: ld.global.b32
// CHECK: ret;
// CHECK-NOT: bar.sync
// CHECK: setp.{{eq|ne}}.b64
// CHECK-NOT: cvt
// CHECK: ld.global.b32
// CHECK: st.global.b32 [
// CHECK-NOT: bar.sync
tile.kernel @running_sum(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {warps = 4 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %point = tile.program_id : index
  %column = arith.index_cast %point : index to i32
  scf.for %k = %c0 to %c32 step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %row = arith.muli %k, %c2 : i32
    %p = tile.ptr_add %x, %row : !tile.ptr<i32>, i32
    %q = tile.ptr_add %p, %column : !tile.ptr<i32>, i32
    %a = tile.load_ptr %q : !tile.ptr<i32> -> i32
    %new = arith.addi %sum, %a : i32
    tile.store_ptr %q, %new : !tile.ptr<i32>, i32
    scf.yield %new : i32
  }
  %last = arith.muli %c31, %c2 : i32
  %p = tile.ptr_add %x, %last : !tile.ptr<i32>, i32
  %q = tile.ptr_add %p, %column : !tile.ptr<i32>, i32
  %all = tile.load_ptr %q : !tile.ptr<i32> -> i32
  %t = tile.splat %all : tensor<32xi32>
  %i = tile.iota 0 : tensor<32xi32>
  %first = arith.muli %column, %c32 : i32
  %offset = tile.splat %first : tensor<32xi32>
  %at = arith.addi %offset, %i : tensor<32xi32>
  %py = tile.splat %y : tensor<32x!tile.ptr<i32>>
  %to = tile.ptr_add %py, %at : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  tile.store_ptr %to, %t : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
}

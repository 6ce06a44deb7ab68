// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hint asks for one warp; where its threads would have more code than is compiled in seconds more warps share it.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))' | FileCheck %s
// A description with no useful number of elements has the usual one.
// RUN: kiln-compile --describe=nvidia:sm_90a | sed -n '/^#kiln.target/,$p' | sed 's/extra = {/extra = {thread_elements = 0 : i64, /' > %t-none.mlir
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec="nvidia:sm_90a,description=%t-none.mlir"},tile.kernel(simt-assign-layouts))' | FileCheck %s
// Who names a number in the command gets it.
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts{warps=1}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: work.mlir:{{.*}} error: unsupported: a tile of 131072 elements is 4096 for each of 32 threads, more than 2040 for threads of 255 registers

// CHECK: tile.kernel @small
// CHECK-SAME: warps = 1 : i64
tile.kernel @small(%x: !tile.view<2048xf32>) attributes {tile.launch = #tile.kernel_hints<warps = 1>} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<2048xf32> -> tensor<2048xf32>
  %b = math.exp %a : tensor<2048xf32>
  tile.store %b, %x[%c0] : tensor<2048xf32>, !tile.view<2048xf32>
}

// CHECK: tile.kernel @large
// CHECK-SAME: warps = 4 : i64
tile.kernel @large(%x: !tile.view<131072xf32>) attributes {tile.launch = #tile.kernel_hints<warps = 1>} {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<131072xf32> -> tensor<131072xf32>
  %b = math.exp %a : tensor<131072xf32>
  tile.store %b, %x[%c0] : tensor<131072xf32>, !tile.view<131072xf32>
}

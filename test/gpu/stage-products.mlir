// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Behind staging each matmul is a `stage.product` that states where its operands are: no tile.dot is left, and none gets further.
// DEFINE: %{staged} = simt-assign-layouts,simt-stage-operands{stages=4},stage-make-rings,stage-schedule,stage-pipeline,stage-allocate
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(%{staged},simt-stage-products))' --mlir-print-local-scope | FileCheck %s --implicit-check-not=tile.dot
// RUN: kiln-opt %s --verify-semantics --pass-pipeline='builtin.module(tile.kernel(%{staged},simt-stage-products,simt-insert-barriers))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(%{staged},simt-insert-barriers))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT
// SAME: semantics: {{[1-9][0-9]*}} comparisons, 0 changed
// LEFT: stage-products.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'tile.dot' op expected 'stage.product' at this level; run simt-stage-products before

#sums = #simt.layout<rank = 2, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#tall = #simt.layout<rank = 2, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#deep = #simt.layout<rank = 2, register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #simt.swizzle<row = 128, chunk = 16, align = 1024, across = true>

module attributes {kiln.target = #kiln.target<name = "made-up", chip = "one",
  memories = [#kiln.memory<name = "global", scope = device, kind = cached>,
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = 232448>],
  units = [#kiln.unit<name = "square", kind = matrix, types = [f16, bf16]>,
    #kiln.unit<name = "copy", kind = dma, homes = ["global", "shared"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "reads", unit = "square", m = <64>, n = <8 to 256 by 8>, k = <16>,
      lhs = <types = [f16], home = "shared", layout = #rows>, rhs = <types = [f16], home = "shared", layout = #rows>, acc = <types = [f32], layout = #sums>>,
    #kiln.matrix_instruction<name = "fits", unit = "square", m = <16>, n = <8>, k = <8>,
      lhs = <types = [bf16], layout = #tall>, rhs = <types = [bf16], layout = #deep>, acc = <types = [f32], layout = #tall>>]>} {

// The instruction reads both slots, which are released behind it. It runs beside the threads: its sum is a future, which stage.wait waits for.
// CHECK-LABEL: tile.kernel @itself
// CHECK: %[[SLOT:.*]]:2 = stage.consume
// CHECK-NOT: stage.read
// CHECK: %[[SUM:.*]] = stage.product async %[[SLOT]]#0, %[[SLOT]]#1, %{{[a-z0-9]+}} by @reads {simt.decided = {columns = 128 : i64}} : memref<64x32xf16, {{.*}}>, memref<32x128xf16, {{.*}}>, tensor<64x128xf32, #simt.layout<
// CHECK-NEXT: stage.wait %[[SUM]] : !stage.future<tensor<64x128xf32, #simt.layout<
// CHECK-NEXT: stage.release
tile.kernel @itself(%x: !tile.view<64x160xf16> {tile.align = 16 : i64, tile.readonly}, %y: !tile.view<160x128xf16, strides = [1, 160]> {tile.align = 16 : i64, tile.readonly}, %z: !tile.view<64x128xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %sum = scf.for %k = %c0 to %c5 step %c1 iter_args(%s = %zero) -> tensor<64x128xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<64x160xf16> -> tensor<64x32xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<160x128xf16, strides = [1, 160]> -> tensor<32x128xf16>
    %d = tile.dot %a, %b, %s : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
}

// A transpose on the way from storage is the product's.
// CHECK-LABEL: tile.kernel @turned
// CHECK-NOT: tile.transpose
// CHECK: stage.product async %[[SLOT:[a-z0-9]+]]#0, %[[SLOT]]#1, %{{[a-z0-9]+}} by @reads {lhs_as = tensor<128x32xf16>, lhs_transposed, simt.decided = {columns = 64 : i64}} : memref<32x128xf16, {{.*}}>, memref<32x64xf16, {{.*}}>, tensor<128x64xf32, #simt.layout<
tile.kernel @turned(%x: !tile.view<96x128xf16> {tile.align = 16 : i64, tile.readonly}, %y: !tile.view<96x64xf16> {tile.align = 16 : i64, tile.readonly}, %z: !tile.view<128x64xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %zero) -> tensor<128x64xf32> {
    %a = tile.load %x[%k, %c0] : !tile.view<96x128xf16> -> tensor<32x128xf16>
    %t = tile.transpose %a [1, 0] : tensor<32x128xf16> -> tensor<128x32xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<96x64xf16> -> tensor<32x64xf16>
    %d = tile.dot %t, %b, %s : tensor<128x32xf16>, tensor<32x64xf16>, tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<128x64xf32>, !tile.view<128x64xf32>
}

// Threads read the slots for an instruction on registers, in pieces: the product states which thread reads what.
// CHECK-LABEL: tile.kernel @pieces
// CHECK-NOT: stage.read
// CHECK: stage.product %[[SLOT:[a-z0-9]+]]#0, %[[SLOT]]#1, %{{[a-z0-9]+}} by @fits {lhs_as = tensor<64x32xbf16, #simt.layout<{{.*}}>>, rhs_as = tensor<32x64xbf16, #simt.layout<{{.*}}>>} : memref<64x32xbf16, {{.*}}>, memref<32x64xbf16, {{.*}}>, tensor<64x64xf32, #simt.layout<
// CHECK-NEXT: stage.release
tile.kernel @pieces(%x: !tile.view<64x160xbf16> {tile.align = 16 : i64, tile.readonly}, %y: !tile.view<160x64xbf16> {tile.align = 16 : i64, tile.readonly}, %z: !tile.view<64x64xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %k = %c0 to %c5 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<64x160xbf16> -> tensor<64x32xbf16>
    %b = tile.load %y[%k, %c0] : !tile.view<160x64xbf16> -> tensor<32x64xbf16>
    %d = tile.dot %a, %b, %s : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// A bitcast on the way is the product's, too.
// CHECK-LABEL: tile.kernel @bits
// CHECK-NOT: arith.bitcast
// CHECK: stage.product async %{{.*}} by @reads {lhs_as = tensor<64x32xf16>, simt.decided = {columns = 128 : i64}} : memref<64x32xi16, {{.*}}>, memref<32x128xf16, {{.*}}>, tensor<64x128xf32, #simt.layout<
tile.kernel @bits(%x: !tile.view<64x160xi16> {tile.align = 16 : i64, tile.readonly}, %y: !tile.view<160x128xf16, strides = [1, 160]> {tile.align = 16 : i64, tile.readonly}, %z: !tile.view<64x128xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %sum = scf.for %k = %c0 to %c5 step %c1 iter_args(%s = %zero) -> tensor<64x128xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<64x160xi16> -> tensor<64x32xi16>
    %f = arith.bitcast %a : tensor<64x32xi16> to tensor<64x32xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<160x128xf16, strides = [1, 160]> -> tensor<32x128xf16>
    %d = tile.dot %f, %b, %s : tensor<64x32xf16>, tensor<32x128xf16>, tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<64x128xf32>, !tile.view<64x128xf32>
}

// Without an instruction, and with fragments that no loop copies ahead; a batch of products. There is room to keep rows of the factors apart.
// CHECK-LABEL: tile.kernel @threads
// CHECK: stage.product %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} precision tf32 {simt.decided = {padded}} : tensor<2x16x16xf32, #simt.layout<{{.*}}>>, tensor<2x16x16xf32, #simt.layout<{{.*}}>>, tensor<2x16x16xf32, #simt.layout<
tile.kernel @threads(%x: !tile.view<2x16x16xf32>, %z: !tile.view<2x16x16xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %a = tile.load %x[%c0, %c0, %c0] : !tile.view<2x16x16xf32> -> tensor<2x16x16xf32>
  %d = tile.dot %a, %a, %zero precision tf32 : tensor<2x16x16xf32>, tensor<2x16x16xf32>, tensor<2x16x16xf32>
  tile.store %d, %z[%c0, %c0, %c0] : tensor<2x16x16xf32>, !tile.view<2x16x16xf32>
}

// Threads have, and read, vectors of neighbouring rows of the rhs: it is stored by columns. What later passes emit follows from the mark alone.
// CHECK-LABEL: tile.kernel @columns
// CHECK: stage.product {{.*}} {simt.decided = {padded, rhs_by_columns}} : tensor<64x64xf32, #simt.layout<{{.*}}>>, tensor<64x64xf32, #simt.layout<
tile.kernel @columns(%x: !tile.view<64x60xf32> {tile.readonly, tile.align = 16 : i64}, %y: !tile.view<48x60xf32> {tile.readonly, tile.align = 16 : i64}, %z: !tile.view<64x48xf32> {tile.align = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<64x60xf32> -> tensor<64x64xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<48x60xf32> -> tensor<64x64xf32>
  %t = tile.transpose %b [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %d = tile.dot %a, %t, %zero : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  tile.store %d, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x48xf32>
}

// Here there is none.
// CHECK-LABEL: tile.kernel @crowded
// CHECK: stage.product %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<128x128xf32, #simt.layout<
tile.kernel @crowded(%x: !tile.view<128x128xf32>, %z: !tile.view<128x128xf32> {tile.noalias}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<128x128xf32> -> tensor<128x128xf32>
  %d = tile.dot %a, %a, %zero : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
  tile.store %d, %z[%c0, %c0] : tensor<128x128xf32>, !tile.view<128x128xf32>
}
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who asks for stages that a loop cannot have is told so once, at the loop.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(simt-assign-layouts,simt-stage-operands))' -o /dev/null

#tall = #simt.layout<rank = 2, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#deep = #simt.layout<rank = 2, register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#halves = #kiln.target<name = "made-up", chip = "one",
  memories = [#kiln.memory<name = "global", scope = device, kind = cached>,
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = 32768>],
  units = [#kiln.unit<name = "square", kind = matrix, types = [f16]>,
    #kiln.unit<name = "copy", kind = dma, homes = ["global", "shared"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "fits", unit = "square", m = <16>, n = <8>, k = <8>,
      lhs = <types = [f16], layout = #tall>, rhs = <types = [f16], layout = #deep>, acc = <types = [f32], layout = #tall>>]>

module attributes {kiln.target = #halves} {
// Nothing is known of where rows begin; where there are variants, these say so.
tile.kernel @rows(%x: !tile.view<?x?xf16>, %y: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %x[1] by 64 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-warning-re@+1 {{4 stages were asked for, but nothing of this loop is copied ahead: 'tile.load' at {{.*}}stages.mlir:{{[0-9]+}}:{{[0-9]+}}: its rows are known to begin at multiples of 2 bytes only, and copies move 4}}
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.loop = #tile.loop_hints<stages = 4>}
  tile.store %sum, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
tile.kernel @varied(%x: !tile.view<?x?xf16>, %z: !tile.view<?x?xf16>) attributes {variants = [@rows]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %x[1] by 64 : !tile.view<?x?xf16>
  scf.for %k = %c0 to %n step %c1 {
    %a = tile.load %x[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x64xf16>
  } {tile.loop = #tile.loop_hints<stages = 4>}
}
}

// -----

#tall = #simt.layout<rank = 2, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#deep = #simt.layout<rank = 2, register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#halves = #kiln.target<name = "made-up", chip = "one",
  memories = [#kiln.memory<name = "global", scope = device, kind = cached>,
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = 65536>],
  units = [#kiln.unit<name = "square", kind = matrix, types = [f16]>,
    #kiln.unit<name = "copy", kind = dma, homes = ["global", "shared"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "fits", unit = "square", m = <16>, n = <8>, k = <8>,
      lhs = <types = [f16], layout = #tall>, rhs = <types = [f16], layout = #deep>, acc = <types = [f32], layout = #tall>>]>

module attributes {kiln.target = #halves} {
tile.kernel @partly(%x: !tile.view<?x512xf16> {tile.align = 16 : i64}, %y: !tile.view<512x64xf16> {tile.align = 16 : i64}, %z: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-warning@+1 {{6 stages were asked for, but there is room for 3 slots of 16384 bytes}}
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<?x512xf16> -> tensor<64x64xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<512x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.loop = #tile.loop_hints<stages = 6>}
  tile.store %sum, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
}

tile.kernel @writes(%x: !tile.view<?x512xf16> {tile.align = 16 : i64}, %y: !tile.view<512x64xf16> {tile.align = 16 : i64}, %z: !tile.view<?x512xf16>, %o: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-warning-re@+1 {{3 stages were asked for, but nothing of this loop is copied ahead: 'tile.load' at {{.*}}: an earlier iteration may write what it reads, at {{.*}}stages.mlir:}}
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<?x512xf16> -> tensor<64x64xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<512x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %n = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %n, %z[%c0, %k] : tensor<64x64xf16>, !tile.view<?x512xf16>
    scf.yield %d : tensor<64x64xf32>
  } {tile.loop = #tile.loop_hints<stages = 3>}
  tile.store %sum, %o[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
}

tile.kernel @around(%x: !tile.view<?x512xf16> {tile.align = 16 : i64}, %y: !tile.view<512x64xf16> {tile.align = 16 : i64}, %z: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-warning@+1 {{3 stages were asked for, but nothing of this loop is copied ahead: a loop inside of it has copies in flight}}
  %all = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %zero) -> tensor<64x64xf32> {
    %p = tile.load %x[%i, %c0] : !tile.view<?x512xf16> -> tensor<64x64xf16>
    %q = tile.load %y[%c0, %c0] : !tile.view<512x64xf16> -> tensor<64x64xf16>
    %first = tile.dot %p, %q, %t : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %first) -> tensor<64x64xf32> {
      %a = tile.load %x[%i, %k] : !tile.view<?x512xf16> -> tensor<64x64xf16>
      %b = tile.load %y[%k, %c0] : !tile.view<512x64xf16> -> tensor<64x64xf16>
      %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    scf.yield %sum : tensor<64x64xf32>
  } {tile.loop = #tile.loop_hints<stages = 3>}
  tile.store %all, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
}

tile.kernel @sums(%x: !tile.view<?xf32>, %z: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  // expected-warning-re@+1 {{3 stages were asked for, but nothing of this loop is copied ahead: 'tile.load' at {{.*}}: its result is not only an operand of matmuls by a matrix instruction}}
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %zero) -> tensor<128xf32> {
    %a = tile.load %x[%k] : !tile.view<?xf32> -> tensor<128xf32>
    %t = arith.addf %a, %s : tensor<128xf32>
    scf.yield %t : tensor<128xf32>
  } {tile.loop = #tile.loop_hints<stages = 3>}
  tile.store %sum, %z[%c0] : tensor<128xf32>, !tile.view<?xf32>
}
}

// -----

// Copies that write side by side need whole pieces, and one for each thread.
#tall = #simt.layout<rank = 2, register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#deep = #simt.layout<rank = 2, register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #kiln.target<name = "made-up", chip = "two",
  memories = [#kiln.memory<name = "global", scope = device, kind = cached>,
    #kiln.memory<name = "shared", scope = core, kind = explicit, size = 32768>],
  units = [#kiln.unit<name = "square", kind = matrix, types = [f16]>,
    #kiln.unit<name = "copy", kind = dma, homes = ["global", "shared"]>],
  matrix_instructions = [
    #kiln.matrix_instruction<name = "fits", unit = "square", m = <16>, n = <8>, k = <8>,
      lhs = <types = [f16], layout = #tall>, rhs = <types = [f16], layout = #deep>, acc = <types = [f32], layout = #tall>>],
  extra = {row_copies = 16 : i64}>

module attributes {kiln.target = #rows} {
tile.kernel @pieces(%x: !tile.view<?x?xf16, strides = [?, 1]> {tile.readonly, tile.align = 16 : i64, tile.stride_div = array<i64: 8, 1>}, %z: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %x[1] by 64 : !tile.view<?x?xf16, strides = [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-warning-re@+1 {{3 stages were asked for, but nothing of this loop is copied ahead: 'tile.load' at {{.*}}: its rows are not known to consist of the 16 bytes that a copy moves}}
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<?x?xf16, strides = [?, 1]> -> tensor<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.loop = #tile.loop_hints<stages = 3>}
  tile.store %sum, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
tile.kernel @few(%x: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>, tile.stride_div = array<i64: 8, 1>},
                 %y: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tile.num_blocks %x[1] by 8 : !tile.view<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-warning-re@+1 {{3 stages were asked for, but nothing of this loop is copied ahead: 'tile.load' at {{.*}}: threads have less than 16 bytes of it to copy}}
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<64x64xf32> {
    %a = tile.load %x[%c0, %k] : !tile.view<?x?xf16> -> tensor<64x8xf16>
    %b = tile.load %y[%k, %c0] : !tile.view<?x?xf16> -> tensor<8x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x8xf16>, tensor<8x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.loop = #tile.loop_hints<stages = 3>}
  tile.store %sum, %z[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
}
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of neighbours in tiles of indices, masks and pointers.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-print-axes))' --verify-diagnostics -o /dev/null

tile.kernel @arithmetic(%n: i32 {tile.divisibility = 16 : i64}, %m: i32) {
  %i = tile.program_id : index
  %p = arith.index_cast %i : index to i32
  %c128 = arith.constant 128 : i32
  %at = arith.muli %p, %c128 overflow<nsw> : i32
  // expected-remark @below {{contiguity [128] divisibility [1099511627776] constancy [1]}}
  %iota = tile.iota 0 : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [128] constancy [128]}}
  %first = tile.splat %at : tensor<128xi32>
  // expected-remark @below {{contiguity [128] divisibility [128] constancy [1]}}
  %places = arith.addi %first, %iota : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [16] constancy [128]}}
  %sizes = tile.splat %n : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [128]}}
  %others = tile.splat %m : tensor<128xi32>
  // Runs of 16 are on one side of a multiple of 16, or of its predecessor.
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [16]}}
  %inside = arith.cmpi slt, %places, %sizes : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [16]}}
  %above = arith.cmpi sgt, %sizes, %places : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %upTo = arith.cmpi sle, %places, %sizes : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %any = arith.cmpi slt, %places, %others : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %backwards = arith.subi %first, %iota : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [16] constancy [1]}}
  %scaled = arith.muli %iota, %sizes : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1024] constancy [128]}}
  %eight = arith.constant dense<1024> : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [8] constancy [128]}}
  %fourth = arith.constant dense<8> : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [8]}}
  %quotient = arith.divsi %places, %fourth : tensor<128xi32>
  // expected-remark @below {{contiguity [8] divisibility [8] constancy [1]}}
  %rest = arith.remsi %places, %fourth : tensor<128xi32>
  // The sign of a divisor does not matter where quotients are equal.
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [16]}}
  %groups = arith.divsi %places, %sizes : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [16] constancy [16]}}
  %begins = arith.muli %sizes, %groups : tensor<128xi32>
  // A remainder by another name.
  // expected-remark @below {{contiguity [16] divisibility [16] constancy [1]}}
  %within = arith.subi %places, %begins : tensor<128xi32>
  // It is not negative, so that its quotients are equal, too.
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [8]}}
  %parts = arith.divui %within, %fourth : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [128]}}
  %same = arith.divsi %others, %sizes : tensor<128xi32>
  // So may be what wraps around.
  %around = arith.muli %p, %c128 : i32
  // expected-remark @below {{contiguity [1] divisibility [128] constancy [128]}}
  %start = tile.splat %around : tensor<128xi32>
  // expected-remark @below {{contiguity [128] divisibility [128] constancy [1]}}
  %wrapping = arith.addi %start, %iota : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %part = arith.divsi %wrapping, %fourth : tensor<128xi32>
  // What may be negative is not rounded down.
  // expected-remark @below {{contiguity [128] divisibility [1] constancy [1]}}
  %unknown = arith.addi %others, %iota : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %towardsZero = arith.divsi %unknown, %fourth : tensor<128xi32>
  // expected-remark @below {{contiguity [16] divisibility [16] constancy [1]}}
  %chosen = arith.select %inside, %places, %iota : tensor<128xi1>, tensor<128xi32>
  // expected-remark @below {{contiguity [128] divisibility [128] constancy [1]}}
  %wide = arith.extsi %places : tensor<128xi32> to tensor<128xi64>
}

// Bytes, for pointers; other elements than one ahead of each other, for a stride.
tile.kernel @pointers(%x: !tile.ptr<f16> {tile.align = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) {
  // expected-remark @below {{contiguity [64] divisibility [1099511627776] constancy [1]}}
  %i = tile.iota 0 : tensor<64xi32>
  // expected-remark @below {{contiguity [64, 1] divisibility [1099511627776, 1] constancy [1, 1]}}
  %c = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  // expected-remark @below {{contiguity [1, 64] divisibility [1, 1099511627776] constancy [1, 1]}}
  %r = tile.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  // expected-remark @below {{contiguity [1, 1] divisibility [16, 16] constancy [64, 1]}}
  %s = tile.splat %n : tensor<64x1xi32>
  // expected-remark @below {{contiguity [1, 1] divisibility [16, 16] constancy [1, 1]}}
  %rows = arith.muli %c, %s : tensor<64x1xi32>
  // expected-remark @below {{contiguity [1, 1] divisibility [16, 16] constancy [1, 64]}}
  %down = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  // expected-remark @below {{contiguity [1, 64] divisibility [1, 1099511627776] constancy [64, 1]}}
  %along = tile.broadcast %r : tensor<1x64xi32> -> tensor<64x64xi32>
  // expected-remark @below {{contiguity [1, 64] divisibility [1, 16] constancy [1, 1]}}
  %offsets = arith.addi %down, %along : tensor<64x64xi32>
  // expected-remark @below {{contiguity [1, 1] divisibility [16, 16] constancy [64, 64]}}
  %base = tile.splat %x : tensor<64x64x!tile.ptr<f16>>
  // expected-remark @below {{contiguity [1, 64] divisibility [2, 16] constancy [1, 1]}}
  %p = tile.ptr_add %base, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  // expected-remark @below {{contiguity [64, 1] divisibility [16, 2] constancy [1, 1]}}
  %t = tile.transpose %p [1, 0] : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  // expected-remark @below {{contiguity [1, 1] divisibility [16, 16] constancy [1, 64]}}
  %first = tile.ptr_add %base, %down : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
}

// Loops keep what each round leaves of it; hints say the rest.
tile.kernel @loops(%x: !tile.ptr<f32> {tile.align = 16 : i64}, %n: index, %k: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{contiguity [32] divisibility [1099511627776] constancy [1]}}
  %i = tile.iota 0 : tensor<32xi32>
  // expected-remark @below {{contiguity [1] divisibility [2] constancy [32]}}
  %two = arith.constant dense<2> : tensor<32xi32>
  // expected-remark @below {{contiguity [1] divisibility [16] constancy [32]}}
  %s = tile.splat %x : tensor<32x!tile.ptr<f32>>
  // expected-remark @below {{contiguity [32] divisibility [16] constancy [1]}}
  %p = tile.ptr_add %s, %i : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  // expected-remark @below {{contiguity [32] divisibility [8] constancy [1]}}
  %last = scf.for %j = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<32x!tile.ptr<f32>>) {
    // expected-remark @below {{contiguity [32] divisibility [8] constancy [1]}}
    %next = tile.ptr_add %q, %two : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    scf.yield %next : tensor<32x!tile.ptr<f32>>
  }
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [32]}}
  %unknown = tile.splat %k : tensor<32xi32>
  // expected-remark @below {{contiguity [8] divisibility [8] constancy [1]}}
  %told = arith.xori %i, %unknown {tile.contiguity = array<i64: 8>, tile.divisibility = array<i64: 8>} : tensor<32xi32>
}

// Numbers of few bits wrap around: runs of neighbours end there, once they are taken for wider ones, and sums are negative.
tile.kernel @narrow(%x: !tile.ptr<f32>, %s: i8) {
  // expected-remark @below {{contiguity [128] divisibility [128] constancy [1]}}
  %all = tile.iota 0 : tensor<256xi8>
  // expected-remark @below {{contiguity [16] divisibility [1099511627776] constancy [1]}}
  %iota = tile.iota 0 : tensor<16xi8>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [16]}}
  %starts = tile.splat %s : tensor<16xi8>
  // expected-remark @below {{contiguity [16] divisibility [1] constancy [1]}}
  %sum = arith.addi %starts, %iota : tensor<16xi8>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %wide = arith.extsi %sum : tensor<16xi8> to tensor<16xi32>
  // expected-remark @below {{contiguity [1] divisibility [4] constancy [16]}}
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  // expected-remark @below {{contiguity [1] divisibility [4] constancy [1]}}
  %xp = tile.ptr_add %xs, %sum : tensor<16x!tile.ptr<f32>>, tensor<16xi8>
  // expected-remark @below {{contiguity [16] divisibility [1] constancy [1]}}
  %whole = arith.addi %starts, %iota overflow<nsw> : tensor<16xi8>
  // expected-remark @below {{contiguity [16] divisibility [1] constancy [1]}}
  %wholeWide = arith.extsi %whole : tensor<16xi8> to tensor<16xi32>
  // expected-remark @below {{contiguity [1] divisibility [16] constancy [16]}}
  %c112 = arith.constant dense<112> : tensor<16xi8>
  // expected-remark @below {{contiguity [1] divisibility [8] constancy [16]}}
  %c120 = arith.constant dense<120> : tensor<16xi8>
  // expected-remark @below {{contiguity [1] divisibility [4] constancy [16]}}
  %c4 = arith.constant dense<4> : tensor<16xi8>
  // 127 is the last one here.
  // expected-remark @below {{contiguity [16] divisibility [16] constancy [1]}}
  %below = arith.addi %c112, %iota : tensor<16xi8>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [4]}}
  %quarter = arith.divsi %below, %c4 : tensor<16xi8>
  // expected-remark @below {{contiguity [16] divisibility [8] constancy [1]}}
  %around = arith.addi %c120, %iota : tensor<16xi8>
  // -8 / 4 is -2, and -7 / 4 is -1.
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %towardsZero = arith.divsi %around, %c4 : tensor<16xi8>
  // expected-remark @below {{contiguity [8] divisibility [8] constancy [1]}}
  %aroundWide = arith.extsi %around : tensor<16xi8> to tensor<16xi32>
}

// A number of more bits that is truncated is a multiple of the same powers of two, and of no other number.
tile.kernel @truncated(%n: index) {
  %c48 = arith.constant 48 : index
  %at = arith.muli %n, %c48 : index
  %wide = arith.index_cast %at : index to i64
  %narrow = arith.trunci %wide : i64 to i32
  // expected-remark @below {{contiguity [1] divisibility [16] constancy [8]}}
  %same = tile.splat %narrow : tensor<8xi32>
}

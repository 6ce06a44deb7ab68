// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of products go through rings of copies, and no thread meets another's slot too early.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts,simt-stage-operands,stage-make-rings,stage-schedule,stage-pipeline,stage-allocate,simt-stage-products,simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/../gpu/execute.py %s

// Bytes, the right factor stored by columns: whole matrices are read of both.
// bytes: a: i8 = [(7 * i) % 23 - 11 for i in range(32 * 160)], b: i8 = [(5 * i) % 19 - 9 for i in range(16 * 160)], c: i32 = [0] * 512
// bytes: scalars = [32, 160, 160, 1, 160, 16, 1, 160, 32, 16, 16, 1, 1, 1, 1]
// bytes: expect all(c[16 * m + n] == sum(((7 * (160 * m + k)) % 23 - 11) * ((5 * (160 * n + k)) % 19 - 9) for k in range(160)) & 0xffffffff for m in range(32) for n in range(16))
// bytes: expect count("simt.copy_async") > 2 and count("simt.load_matrix") > 4
// bytes/once: scalars = [32, 64, 160, 1, 160, 16, 1, 160, 32, 16, 16, 1, 1, 1, 1]
// bytes/once: expect all(c[16 * m + n] == sum(((7 * (160 * m + k)) % 23 - 11) * ((5 * (160 * n + k)) % 19 - 9) for k in range(64)) & 0xffffffff for m in range(32) for n in range(16))
// bytes/never: scalars = [32, 0, 160, 1, 160, 16, 1, 160, 32, 16, 16, 1, 1, 1, 1]
// bytes/never: expect all(v == 0 for v in c)
tile.kernel @bytes(%a: !tile.view<?x?xi8, strides = [?, 1]> {tile.readonly, tile.align = 16 : i64, tile.stride_div = array<i64: 16, 1>},
                   %b: !tile.view<?x?xi8, strides = [1, ?]> {tile.readonly, tile.align = 16 : i64, tile.stride_div = array<i64: 1, 16>},
                   %c: !tile.view<?x?xi32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<32x16xi32>
  %n = tile.num_blocks %a[1] by 64 : !tile.view<?x?xi8, strides = [?, 1]>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<32x16xi32> {
    %x = tile.load %a[%c0, %k] : !tile.view<?x?xi8, strides = [?, 1]> -> tensor<32x64xi8>
    %y = tile.load %b[%k, %c0] : !tile.view<?x?xi8, strides = [1, ?]> -> tensor<64x16xi8>
    %d = tile.dot %x, %y, %s : tensor<32x64xi8>, tensor<64x16xi8>, tensor<32x16xi32>
    scf.yield %d : tensor<32x16xi32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<32x16xi32>, !tile.view<?x?xi32>
}

// Halves, both by rows: matrices of the right factor are transposed as they are read.
// halves: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(64 * 32)], c: f32 = [0.0] * 512
// halves: scalars = [16, 64, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// halves: expect all(abs(c[32 * m + n] - sum((1 + (64 * m + k) % 7 / 16) * (1 + (32 * k + n) % 5 / 16) for k in range(64))) < 1e-3 for m in range(16) for n in range(32))
// halves: expect count("simt.load_matrix") > 2
// halves/once: scalars = [16, 16, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// halves/once: expect all(abs(c[32 * m + n] - sum((1 + (64 * m + k) % 7 / 16) * (1 + (32 * k + n) % 5 / 16) for k in range(16))) < 1e-3 for m in range(16) for n in range(32))
// halves/never: scalars = [16, 0, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// halves/never: expect all(v == 0 for v in c)
tile.kernel @halves(%a: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                    %b: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                    %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[1] by 16 : !tile.view<?x?xf16>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<16x32xf32> {
    %x = tile.load %a[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x16xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
    scf.yield %d : tensor<16x32xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// Two products of a loop: both right factors come through one ring, the first result is the second left factor without
// leaving its warp, and what is stored takes the places of the slots.
// chained: a: f16 = [[0, 0x3c00, 0x4000][i % 3] for i in range(32 * 16)], b: f16 = [[0x3c00, 0, 0x4000][i % 5 % 3] for i in range(48 * 16)], c: f16 = [[0x3c00, 0x4000][i % 2] for i in range(48 * 16)], d: f32 = [0.0] * 512
// chained: scalars = [32, 16, 16, 1, 16, 48, 1, 16, 48, 16, 16, 1, 32, 16, 16, 1, 1, 1, 1]
// chained: expect all(d[16 * m + n] == sum(sum((16 * m + k) % 3 * [1, 0, 2][(16 * j + k) % 5 % 3] for k in range(16)) * (1 + (16 * j + n) % 2) for j in range(48)) for m in range(32) for n in range(16))
// chained: expect count("simt.copy_async") >= 4 and count("simt.store_matrix") == 0
tile.kernel @chained(%a: !tile.view<32x16xf16> {tile.readonly, tile.align = 16 : i64},
                     %b: !tile.view<16x?xf16, strides = [1, ?]> {tile.readonly, tile.align = 16 : i64, tile.stride_div = array<i64: 1, 8>},
                     %c: !tile.view<?x16xf16> {tile.readonly, tile.align = 16 : i64},
                     %d: !tile.view<32x16xf32> {tile.noalias, tile.align = 16 : i64}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %n = tile.num_blocks %c[0] by 16 : !tile.view<?x16xf16>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x16xf16> -> tensor<32x16xf16>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<32x16xf32> {
    %y = tile.load %b[%c0, %k] : !tile.view<16x?xf16, strides = [1, ?]> -> tensor<16x16xf16>
    %p = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
    %q = arith.truncf %p : tensor<32x16xf32> to tensor<32x16xf16>
    %z = tile.load %c[%k, %c0] : !tile.view<?x16xf16> -> tensor<16x16xf16>
    %r = tile.dot %q, %z, %s : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
    scf.yield %r : tensor<32x16xf32>
  }
  tile.store %sum, %d[%c0, %c0] : tensor<32x16xf32>, !tile.view<32x16xf32>
}

// A loop with a ring of its own in a branch, behind one without.
// branch: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(64 * 32)], c: f32 = [0.0] * 512
// branch: scalars = [16, 64, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// branch: expect all(abs(c[32 * m + n] - sum((1 + (64 * m + k) % 7 / 16) * (1 + (32 * k + n) % 5 / 16) for k in range(64))) < 1e-3 for m in range(16) for n in range(32))
// branch: expect count("simt.copy_async") >= 2
// branch/once: scalars = [16, 16, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// branch/once: expect all(abs(c[32 * m + n] - sum((1 + (64 * m + k) % 7 / 16) * (1 + (32 * k + n) % 5 / 16) for k in range(16))) < 1e-3 for m in range(16) for n in range(32))
// branch/never: scalars = [16, 0, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// branch/never: expect all(v == 0 for v in c)
tile.kernel @branch(%a: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                    %b: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                    %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[1] by 16 : !tile.view<?x?xf16>
  %any = arith.cmpi sgt, %n, %c0 : index
  %sum = scf.if %any -> tensor<16x32xf32> {
    %inner = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<16x32xf32> {
      %x = tile.load %a[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x16xf16>
      %y = tile.load %b[%k, %c0] : !tile.view<?x?xf16> -> tensor<16x32xf16>
      %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      scf.yield %d : tensor<16x32xf32>
    }
    scf.yield %inner : tensor<16x32xf32>
  } else {
    scf.yield %zero : tensor<16x32xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

// Two loops, one after the other, whose rings share their memory: a barrier parts what is read of the first from what
// is copied into the second.
// after: a: f16 = [0x3c00 + 64 * (i % 7) for i in range(16 * 64)], b: f16 = [0x3c00 + 64 * (i % 5) for i in range(64 * 32)], c: f32 = [0.0] * 512
// after: scalars = [16, 64, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// after: expect all(abs(c[32 * m + n] - 2 * sum((1 + (64 * m + k) % 7 / 16) * (1 + (32 * k + n) % 5 / 16) for k in range(64))) < 2e-3 for m in range(16) for n in range(32))
// after: expect count("simt.copy_async") >= 4
// after/once: scalars = [16, 16, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// after/once: expect all(abs(c[32 * m + n] - 2 * sum((1 + (64 * m + k) % 7 / 16) * (1 + (32 * k + n) % 5 / 16) for k in range(16))) < 2e-3 for m in range(16) for n in range(32))
// after/never: scalars = [16, 0, 64, 1, 64, 32, 32, 1, 16, 32, 32, 1, 1, 1, 1]
// after/never: expect all(v == 0 for v in c)
tile.kernel @after(%a: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                   %b: !tile.view<?x?xf16> {tile.readonly, tile.align = 16 : i64, tile.size_div = array<i64: 1, 8>},
                   %c: !tile.view<?x?xf32> {tile.noalias}) attributes {tile.launch = #tile.kernel_hints<warps = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %n = tile.num_blocks %a[1] by 16 : !tile.view<?x?xf16>
  %one = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<16x32xf32> {
    %x = tile.load %a[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x16xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
    scf.yield %d : tensor<16x32xf32>
  }
  %two = scf.for %k = %c0 to %n step %c1 iter_args(%s = %one) -> tensor<16x32xf32> {
    %x = tile.load %a[%c0, %k] : !tile.view<?x?xf16> -> tensor<16x16xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<?x?xf16> -> tensor<16x32xf16>
    %d = tile.dot %x, %y, %s : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
    scf.yield %d : tensor<16x32xf32>
  }
  tile.store %two, %c[%c0, %c0] : tensor<16x32xf32>, !tile.view<?x?xf32>
}

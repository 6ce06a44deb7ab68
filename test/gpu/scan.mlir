// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans go over registers, lanes and warps; combiners tell earlier from later.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(tile.kernel(simt-insert-barriers),convert-tile-to-simt,canonicalize,cse)' --mlir-print-op-generic | %python %S/execute.py %s

#natural = #simt.layout<rank = 1, register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#shuffled = #simt.layout<rank = 1, register = [[8], [1], [256]], lane = [[32], [2], [128], [16], [4]], warp = [[64]]>
#split = #simt.layout<rank = 1, register = [[4], [16]], lane = [[1], [8], [32], [64], [256]], warp = [[2], [128]]>
#rows = #simt.layout<rank = 2, register = [[0, 1], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]],
  warp = [[0, 16]]>

// One trip through memory for the warps; totals of warps travel, once each, not
// elements, nor the copies that lanes have.
// natural: a: i32 = [i * 7 % 50 + 1 for i in range(512)], b: i32 = [0] * 512
// natural: expect b == [sum(a[:i + 1]) for i in range(512)]
// natural: expect count("gpu.barrier") == 1 and count("gpu.shuffle") == 5 and shared == 16
tile.kernel @natural(%a: !tile.view<512xi32>, %b: !tile.view<512xi32> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<512xi32> -> tensor<512xi32, #natural>
  %s = tile.scan %x axis 0 : tensor<512xi32, #natural> -> tensor<512xi32, #natural> {
  ^bb0(%p: i32, %q: i32):
    %c = arith.addi %p, %q : i32
    tile.yield %c : i32
  }
  tile.store %s, %b[%z] : tensor<512xi32, #natural>, !tile.view<512xi32>
  tile.return
}

// The composition of the maps x -> m x + n in order, in any layout.
// maps: a: i32 = [1 + i % 2 * (i % 11 == 0) for i in range(512)], b: i32 = [i % 5 for i in range(512)]
// maps: c: i32 = [0] * 512, d: i32 = [0] * 512, e: i32 = [0] * 512, f: i32 = [0] * 512
// maps: expect c == list(accumulate(a, lambda x, y: x * y % 2**32))
// maps: expect d == [n for _, n in accumulate(zip(a, b), lambda x, y: (0, (x[1] * y[0] + y[1]) % 2**32))]
// maps: expect f == [n for _, n in accumulate(zip(a[::-1], b[::-1]), lambda x, y: (0, (x[1] * y[0] + y[1]) % 2**32))][::-1]
// maps: expect e == list(accumulate(a[::-1], lambda x, y: x * y % 2**32))[::-1]
tile.kernel @maps(%a: !tile.view<512xi32>, %b: !tile.view<512xi32>, %c: !tile.view<512xi32> {tile.noalias}, %d: !tile.view<512xi32> {tile.noalias},
                  %e: !tile.view<512xi32> {tile.noalias}, %f: !tile.view<512xi32> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z] : !tile.view<512xi32> -> tensor<512xi32, #split>
  %y = tile.load %b[%z] : !tile.view<512xi32> -> tensor<512xi32, #split>
  %s:2 = tile.scan %x, %y axis 0 : tensor<512xi32, #split>, tensor<512xi32, #split> -> tensor<512xi32, #split>, tensor<512xi32, #split> {
  ^bb0(%m: i32, %n: i32, %k: i32, %l: i32):
    %first = arith.muli %m, %k : i32
    %moved = arith.muli %n, %k : i32
    %second = arith.addi %moved, %l : i32
    tile.yield %first, %second : i32, i32
  }
  tile.store %s#0, %c[%z] : tensor<512xi32, #split>, !tile.view<512xi32>
  tile.store %s#1, %d[%z] : tensor<512xi32, #split>, !tile.view<512xi32>
  %r:2 = tile.scan %x, %y axis 0 reverse : tensor<512xi32, #split>, tensor<512xi32, #split> -> tensor<512xi32, #split>, tensor<512xi32, #split> {
  ^bb0(%m: i32, %n: i32, %k: i32, %l: i32):
    %first = arith.muli %m, %k : i32
    %moved = arith.muli %n, %k : i32
    %second = arith.addi %moved, %l : i32
    tile.yield %first, %second : i32, i32
  }
  tile.store %r#0, %e[%z] : tensor<512xi32, #split>, !tile.view<512xi32>
  tile.store %r#1, %f[%z] : tensor<512xi32, #split>, !tile.view<512xi32>
  tile.return
}

// Rows, registers between lanes, copies, and a size that is no power of two.
// rows: a: i32 = [i * 13 % 29 for i in range(192)], b: i32 = [0] * 192, c: i32 = [i * 3 % 17 for i in range(500)], d: i32 = [0] * 500
// rows: expect b == [sum(a[i // 24 * 24:i + 1]) for i in range(192)]
// rows: expect d == [sum(c[:i + 1]) for i in range(500)]
tile.kernel @rows(%a: !tile.view<8x24xi32>, %b: !tile.view<8x24xi32> {tile.noalias},
                  %c: !tile.view<500xi32>, %d: !tile.view<500xi32> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %x = tile.load %a[%z, %z] : !tile.view<8x24xi32> -> tensor<8x24xi32, #rows>
  %s = tile.scan %x axis 1 : tensor<8x24xi32, #rows> -> tensor<8x24xi32, #rows> {
  ^bb0(%p: i32, %q: i32):
    %t = arith.addi %p, %q : i32
    tile.yield %t : i32
  }
  tile.store %s, %b[%z, %z] : tensor<8x24xi32, #rows>, !tile.view<8x24xi32>
  %y = tile.load %c[%z] : !tile.view<500xi32> -> tensor<500xi32, #shuffled>
  %r = tile.scan %y axis 0 : tensor<500xi32, #shuffled> -> tensor<500xi32, #shuffled> {
  ^bb0(%p: i32, %q: i32):
    %t = arith.addi %p, %q : i32
    tile.yield %t : i32
  }
  tile.store %r, %d[%z] : tensor<500xi32, #shuffled>, !tile.view<500xi32>
  tile.return
}

// What lies beyond the tile would come first: the way through memory for every step.
// odd: a: i32 = [i * 13 % 29 for i in range(500)], b: i32 = [0] * 500
// odd: expect b == [sum(a[i:]) for i in range(500)] and count("gpu.shuffle") == 0
tile.kernel @odd(%a: !tile.view<500xi32>, %b: !tile.view<500xi32> {tile.noalias}) attributes {warps = 4 : i64} {
  %z = arith.constant 0 : index
  %y = tile.load %a[%z] : !tile.view<500xi32> -> tensor<500xi32, #natural>
  %r = tile.scan %y axis 0 reverse : tensor<500xi32, #natural> -> tensor<500xi32, #natural> {
  ^bb0(%p: i32, %q: i32):
    %t = arith.addi %p, %q : i32
    tile.yield %t : i32
  }
  tile.store %r, %b[%z] : tensor<500xi32, #natural>, !tile.view<500xi32>
  tile.return
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two parts of a transform lie in memory with rows of different lengths: rows of storage begin at lines of the cache, here of
// 256 bytes, and rows of a result that no operation uses begin at 64.
// RUN: kiln-compile --describe=cpu | sed -n '/^#kiln.target/,$p' | sed 's/align = [0-9]*, line = [0-9]*>/align = 256, line = 256>/' > %t.mlir
// RUN: FileCheck %s --check-prefix=LINES --input-file=%t.mlir
// RUN: kiln-run %s --target=cpu,threads=1,description=%t.mlir --entry=real_part --grid=1 --no-fallback --check
// RUN: kiln-run %s --target=cpu,threads=1,description=%t.mlir --entry=imaginary_part --grid=1 --no-fallback --check
// RUN: kiln-run %s --target=cpu,threads=1,description=%t.mlir --entry=reduced --grid=1 --no-fallback --check
// RUN: kiln-run %s --target=cpu,threads=1,description=%t.mlir --entry=back --grid=1 --no-fallback --check

// LINES: name = "l1", {{.*}}align = 256, line = 256

tile.kernel @real_part(%x: !tile.view<34x3xf32> {tile.readonly}, %y: !tile.view<34x3xf32> {tile.readonly}, %o: !tile.view<34x3xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<34x3xf32> -> tensor<34x3xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<34x3xf32> -> tensor<34x3xf32>
  %r, %i = tile.fourier %a, %b axis 0 : tensor<34x3xf32>, tensor<34x3xf32> -> tensor<34x3xf32>, tensor<34x3xf32>
  tile.store %r, %o[%c0, %c0] : tensor<34x3xf32>, !tile.view<34x3xf32>
}

tile.kernel @imaginary_part(%x: !tile.view<34x3xf32> {tile.readonly}, %y: !tile.view<34x3xf32> {tile.readonly}, %o: !tile.view<34x3xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<34x3xf32> -> tensor<34x3xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<34x3xf32> -> tensor<34x3xf32>
  %r, %i = tile.fourier %a, %b axis 0 : tensor<34x3xf32>, tensor<34x3xf32> -> tensor<34x3xf32>, tensor<34x3xf32>
  tile.store %i, %o[%c0, %c0] : tensor<34x3xf32>, !tile.view<34x3xf32>
}

tile.kernel @reduced(%x: !tile.view<35x17xf32> {tile.readonly}, %y: !tile.view<35x17xf32> {tile.readonly}, %o: !tile.view<35x17xf32>, %q: !tile.view<35xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<35x17xf32> -> tensor<35x17xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<35x17xf32> -> tensor<35x17xf32>
  %r, %i = tile.fourier %a, %b axis 0 : tensor<35x17xf32>, tensor<35x17xf32> -> tensor<35x17xf32>, tensor<35x17xf32>
  %s = tile.reduce %r axis 1 : tensor<35x17xf32> -> tensor<35xf32> {
  ^bb0(%l: f32, %m: f32):
    %n = arith.addf %l, %m : f32
    tile.yield %n : f32
  }
  tile.store %s, %q[%c0] : tensor<35xf32>, !tile.view<35xf32>
  tile.store %i, %o[%c0, %c0] : tensor<35x17xf32>, !tile.view<35x17xf32>
}

tile.kernel @back(%x: !tile.view<18x5xf32> {tile.readonly}, %y: !tile.view<18x5xf32> {tile.readonly}, %o: !tile.view<34x5xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<18x5xf32> -> tensor<18x5xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<18x5xf32> -> tensor<18x5xf32>
  %d = arith.mulf %a, %b : tensor<18x5xf32>
  %r = tile.fourier %d, %b axis 0 inverse : tensor<18x5xf32>, tensor<18x5xf32> -> tensor<34x5xf32>
  tile.store %r, %o[%c0, %c0] : tensor<34x5xf32>, !tile.view<34x5xf32>
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers of 2048 bits, of which this machine's are parts: whole ones are written behind the ends of storage, and take the last
// elements of a line again.
// RUN: kiln-compile --describe=cpu | sed -n '/^#kiln.target/,$p' | sed 's/kind = vector, bits = [0-9]*/kind = vector, bits = 2048/' > %t.mlir
// RUN: FileCheck %s --check-prefix=BITS --input-file=%t.mlir
// RUN: kiln-run %s --target=cpu,threads=1,description=%t.mlir --entry=prime --grid=1 --no-fallback --check
// RUN: kiln-run %s --target=cpu,threads=1,description=%t.mlir --entry=sums --grid=1 --no-fallback --check

// BITS: kind = vector, bits = 2048

// A line of 97 elements becomes a convolution of 240, which 64 do not divide.
tile.kernel @prime(%x: !tile.view<2x97xf32> {tile.readonly}, %y: !tile.view<2x97xf32> {tile.readonly}, %o: !tile.view<2x97xf32>, %q: !tile.view<2x97xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<2x97xf32> -> tensor<2x97xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<2x97xf32> -> tensor<2x97xf32>
  %r, %i = tile.fourier %a, %b axis 1 : tensor<2x97xf32>, tensor<2x97xf32> -> tensor<2x97xf32>, tensor<2x97xf32>
  tile.store %r, %o[%c0, %c0] : tensor<2x97xf32>, !tile.view<2x97xf32>
  tile.store %i, %q[%c0, %c0] : tensor<2x97xf32>, !tile.view<2x97xf32>
}

// Prefixes of 17 elements, which are read again, in storage of one register.
tile.kernel @sums(%x: !tile.view<17xf32> {tile.readonly}, %y: !tile.view<17xf32> {tile.readonly}, %o: !tile.view<17xf32>, %q: !tile.view<17xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<17xf32> -> tensor<17xf32>
  %b = tile.load %y[%c0] : !tile.view<17xf32> -> tensor<17xf32>
  %c = arith.addf %a, %b : tensor<17xf32>
  %d = arith.mulf %a, %b : tensor<17xf32>
  %s = tile.scan %c axis 0 : tensor<17xf32> -> tensor<17xf32> {
  ^bb0(%l: f32, %m: f32):
    %n = arith.addf %l, %m : f32
    tile.yield %n : f32
  }
  %t = tile.scan %d axis 0 : tensor<17xf32> -> tensor<17xf32> {
  ^bb0(%l: f32, %m: f32):
    %n = arith.addf %l, %m : f32
    tile.yield %n : f32
  }
  %u = arith.addf %s, %d : tensor<17xf32>
  %v = arith.addf %t, %c : tensor<17xf32>
  tile.store %u, %o[%c0] : tensor<17xf32>, !tile.view<17xf32>
  tile.store %v, %q[%c0] : tensor<17xf32>, !tile.view<17xf32>
}

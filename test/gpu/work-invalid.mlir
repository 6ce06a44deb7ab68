// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that would become more code than is compiled in seconds are refused before any of it is made.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(kiln-set-target{spec=nvidia:sm_90a},tile.kernel(simt-assign-layouts))' -o /dev/null

tile.kernel @product(%x: !tile.view<512x512xbf16>, %y: !tile.view<512x512xbf16>, %z: !tile.view<512x512xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<512x512xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<512x512xbf16> -> tensor<512x512xbf16>
  %b = tile.load %y[%c0, %c0] : !tile.view<512x512xbf16> -> tensor<512x512xbf16>
  // expected-error@+1 {{unsupported: the sums of an instance, 1048576 bytes, are more than the registers of a core, 262144 bytes; smaller tiles have fewer}}
  %d = tile.dot %a, %b, %zero : tensor<512x512xbf16>, tensor<512x512xbf16>, tensor<512x512xf32>
  tile.store %d, %z[%c0, %c0] : tensor<512x512xf32>, !tile.view<512x512xf32>
}

// -----

tile.kernel @elements(%x: !tile.view<4194304xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{unsupported: a tile of 4194304 elements is 4096 for each of 1024 threads, more than 2040 for threads of 255 registers}}
  %a = tile.load %x[%c0] : !tile.view<4194304xf32> -> tensor<4194304xf32>
}

// -----

tile.kernel @operations(%x: !tile.view<1048576xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{unsupported: tiles of this size would become 37888 operations of each of 1024 threads (1024 of them here), more than 32640 for threads of 255 registers; smaller tiles become fewer}}
  %a = tile.load %x[%c0] : !tile.view<1048576xf32> -> tensor<1048576xf32>
  %t1 = arith.mulf %a, %a : tensor<1048576xf32>
  %t2 = arith.mulf %t1, %a : tensor<1048576xf32>
  %t3 = arith.mulf %t2, %a : tensor<1048576xf32>
  %t4 = arith.mulf %t3, %a : tensor<1048576xf32>
  %t5 = arith.mulf %t4, %a : tensor<1048576xf32>
  %t6 = arith.mulf %t5, %a : tensor<1048576xf32>
  %t7 = arith.mulf %t6, %a : tensor<1048576xf32>
  %t8 = arith.mulf %t7, %a : tensor<1048576xf32>
  %t9 = arith.mulf %t8, %a : tensor<1048576xf32>
  %t10 = arith.mulf %t9, %a : tensor<1048576xf32>
  %t11 = arith.mulf %t10, %a : tensor<1048576xf32>
  %t12 = arith.mulf %t11, %a : tensor<1048576xf32>
  %t13 = arith.mulf %t12, %a : tensor<1048576xf32>
  %t14 = arith.mulf %t13, %a : tensor<1048576xf32>
  %t15 = arith.mulf %t14, %a : tensor<1048576xf32>
  %t16 = arith.mulf %t15, %a : tensor<1048576xf32>
  %t17 = arith.mulf %t16, %a : tensor<1048576xf32>
  %t18 = arith.mulf %t17, %a : tensor<1048576xf32>
  %t19 = arith.mulf %t18, %a : tensor<1048576xf32>
  %t20 = arith.mulf %t19, %a : tensor<1048576xf32>
  %t21 = arith.mulf %t20, %a : tensor<1048576xf32>
  %t22 = arith.mulf %t21, %a : tensor<1048576xf32>
  %t23 = arith.mulf %t22, %a : tensor<1048576xf32>
  %t24 = arith.mulf %t23, %a : tensor<1048576xf32>
  %t25 = arith.mulf %t24, %a : tensor<1048576xf32>
  %t26 = arith.mulf %t25, %a : tensor<1048576xf32>
  %t27 = arith.mulf %t26, %a : tensor<1048576xf32>
  %t28 = arith.mulf %t27, %a : tensor<1048576xf32>
  %t29 = arith.mulf %t28, %a : tensor<1048576xf32>
  %t30 = arith.mulf %t29, %a : tensor<1048576xf32>
  %t31 = arith.mulf %t30, %a : tensor<1048576xf32>
  %t32 = arith.mulf %t31, %a : tensor<1048576xf32>
  %t33 = arith.mulf %t32, %a : tensor<1048576xf32>
  %t34 = arith.mulf %t33, %a : tensor<1048576xf32>
  %t35 = arith.mulf %t34, %a : tensor<1048576xf32>
  %t36 = arith.mulf %t35, %a : tensor<1048576xf32>
}

// -----

// More elements than 64 bits count.
tile.kernel @overflow(%x: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{unsupported: a tile of at least 1099511627776 elements is 1073741824 for each of 1024 threads, more than 2040 for threads of 255 registers}}
  %a = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<4611686018427387904x4611686018427387904xf32>
  tile.store %a, %x[%c0, %c0] : tensor<4611686018427387904x4611686018427387904xf32>, !tile.view<?x?xf32>
}

// -----

tile.kernel @nothing() {
  // expected-error@+1 {{'tile.iota' op expected tiles of static shape with elements, found 'tensor<0xi32>'}}
  %0 = tile.iota 0 : tensor<0xi32>
}

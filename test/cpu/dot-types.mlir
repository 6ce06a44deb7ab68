// Products of every pair of 8-bit floats, of f16 in f16, of bytes of either sign: as the reference says.
// RUN: kiln-run %s --entry=float8 --target=cpu --check --grid=1 | FileCheck %s
// RUN: kiln-run %s --entry=half --target=cpu --check --grid=1 | FileCheck %s
// RUN: kiln-run %s --entry=bytes --target=cpu --check --grid=1 | FileCheck %s
// CHECK-NOT: FAILED
// CHECK: ok

tile.kernel @float8(%x: !tile.view<32x64xf32> {tile.readonly}, %y: !tile.view<64x32xf32> {tile.readonly},
                    %p: !tile.view<32x32xf32>, %q: !tile.view<32x32xf32>, %r: !tile.view<32x32xf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<1.0> : tensor<32x32xf16>
  %a = tile.load %x[%c0, %c0] : !tile.view<32x64xf32> -> tensor<32x64xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  %a4 = arith.truncf %a : tensor<32x64xf32> to tensor<32x64xf8E4M3FN>
  %a5 = arith.truncf %a : tensor<32x64xf32> to tensor<32x64xf8E5M2>
  %b4 = arith.truncf %b : tensor<64x32xf32> to tensor<64x32xf8E4M3FN>
  %b5 = arith.truncf %b : tensor<64x32xf32> to tensor<64x32xf8E5M2>
  %d = tile.dot %a4, %b5, %zero : tensor<32x64xf8E4M3FN>, tensor<64x32xf8E5M2>, tensor<32x32xf32>
  %e = tile.dot %a5, %b4, %zero {max_imprecise_acc = 32 : i64} : tensor<32x64xf8E5M2>, tensor<64x32xf8E4M3FN>, tensor<32x32xf32>
  %f = tile.dot %a5, %b5, %none : tensor<32x64xf8E5M2>, tensor<64x32xf8E5M2>, tensor<32x32xf16>
  tile.store %d, %p[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
  tile.store %e, %q[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
  tile.store %f, %r[%c0, %c0] : tensor<32x32xf16>, !tile.view<32x32xf16>
}

tile.kernel @half(%x: !tile.view<40x24xf16> {tile.readonly}, %y: !tile.view<24x40xbf16> {tile.readonly}, %z: !tile.view<40x40xf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %zero = arith.constant dense<0.0> : tensor<40x40xf16>
  %sum = scf.for %k = %c0 to %c24 step %c8 iter_args(%acc = %zero) -> (tensor<40x40xf16>) {
    %a = tile.load %x at [%c0, %k] : !tile.view<40x24xf16> -> tensor<40x8xf16>
    %b = tile.load %y at [%k, %c0] : !tile.view<24x40xbf16> -> tensor<8x40xbf16>
    %d = tile.dot %a, %b, %acc : tensor<40x8xf16>, tensor<8x40xbf16>, tensor<40x40xf16>
    scf.yield %d : tensor<40x40xf16>
  }
  tile.store %sum, %z[%c0, %c0] : tensor<40x40xf16>, !tile.view<40x40xf16>
}

tile.kernel @bytes(%x: !tile.view<32x48xi8> {tile.readonly}, %y: !tile.view<48x32xi8> {tile.readonly},
                   %p: !tile.view<32x32xi32>, %q: !tile.view<32x32xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %a = tile.load %x[%c0, %c0] : !tile.view<32x48xi8> -> tensor<32x48xi8>
  %b = tile.load %y[%c0, %c0] : !tile.view<48x32xi8> -> tensor<48x32xi8>
  %d = tile.dot %a, %b, %zero lhs_unsigned : tensor<32x48xi8>, tensor<48x32xi8>, tensor<32x32xi32>
  %e = tile.dot %a, %b, %zero rhs_unsigned : tensor<32x48xi8>, tensor<48x32xi8>, tensor<32x32xi32>
  tile.store %d, %p[%c0, %c0] : tensor<32x32xi32>, !tile.view<32x32xi32>
  tile.store %e, %q[%c0, %c0] : tensor<32x32xi32>, !tile.view<32x32xi32>
}

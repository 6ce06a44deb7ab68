// 8-bit floats are rounded, decoded and computed with as the reference does.
// RUN: kiln-run %s --target=cpu --check --entry=e4m3 --dim=5000 --grid=20 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=e5m2 --dim=5000 --grid=20 | FileCheck %s
// RUN: kiln-run %s --target=cpu --check --entry=e4m3_dot --grid=1 | FileCheck %s
// CHECK-NOT: FAILED
// CHECK: ok

tile.kernel @e4m3(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf8E4M3FN>, %z: !tile.view<?xf32>) {
  %i = tile.program_id : index
  %big = arith.constant dense<1000.0> : tensor<256xf32>
  %small = arith.constant dense<0.01> : tensor<256xf32>
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<256xf32>
  %sq = arith.mulf %a, %a : tensor<256xf32>
  %lo = arith.mulf %sq, %small : tensor<256xf32>
  %hi = arith.mulf %a, %big : tensor<256xf32>
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %c = arith.cmpf ogt, %a, %zero : tensor<256xf32>
  %v = arith.select %c, %lo, %hi : tensor<256xi1>, tensor<256xf32>
  %n = arith.truncf %v : tensor<256xf32> to tensor<256xf8E4M3FN>
  tile.store %n, %y[%i] : tensor<256xf8E4M3FN>, !tile.view<?xf8E4M3FN>
  %sum = arith.addf %n, %n : tensor<256xf8E4M3FN>
  %w = arith.extf %sum : tensor<256xf8E4M3FN> to tensor<256xf32>
  tile.store %w, %z[%i] : tensor<256xf32>, !tile.view<?xf32>
}

tile.kernel @e5m2(%x: !tile.view<?xf32> {tile.readonly}, %y: !tile.view<?xf8E5M2>, %z: !tile.view<?xf16>) {
  %i = tile.program_id : index
  %big = arith.constant dense<100000.0> : tensor<256xf32>
  %a = tile.load %x[%i] : !tile.view<?xf32> -> tensor<256xf32>
  %sq = arith.mulf %a, %a : tensor<256xf32>
  %lo = arith.mulf %sq, %sq : tensor<256xf32>
  %hi = arith.mulf %a, %big : tensor<256xf32>
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %c = arith.cmpf ogt, %a, %zero : tensor<256xf32>
  %v = arith.select %c, %lo, %hi : tensor<256xi1>, tensor<256xf32>
  %n = arith.truncf %v : tensor<256xf32> to tensor<256xf8E5M2>
  tile.store %n, %y[%i] : tensor<256xf8E5M2>, !tile.view<?xf8E5M2>
  %w = arith.extf %n : tensor<256xf8E5M2> to tensor<256xf16>
  tile.store %w, %z[%i] : tensor<256xf16>, !tile.view<?xf16>
}

tile.kernel @e4m3_dot(%x: !tile.view<32x64xf32> {tile.readonly}, %y: !tile.view<64x32xf32> {tile.readonly}, %z: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<32x64xf32> -> tensor<32x64xf32>
  %b = tile.load %y[%c0, %c0] : !tile.view<64x32xf32> -> tensor<64x32xf32>
  %na = arith.truncf %a : tensor<32x64xf32> to tensor<32x64xf8E4M3FN>
  %nb = arith.truncf %b : tensor<64x32xf32> to tensor<64x32xf8E4M3FN>
  %d = tile.dot %na, %nb, %zero : tensor<32x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>, tensor<32x32xf32>
  tile.store %d, %z[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

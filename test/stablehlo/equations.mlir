// RUN: kiln-run %s --target=reference --entry=cholesky | FileCheck %s --check-prefix=ROOT
// RUN: kiln-run %s --target=cpu --entry=cholesky | FileCheck %s --check-prefix=ROOT
// RUN: kiln-run %s --target=reference --entry=solve | FileCheck %s --check-prefix=SOLVE
// RUN: kiln-run %s --target=cpu --entry=solve | FileCheck %s --check-prefix=SOLVE
// RUN: kiln-run %s --target=reference --entry=philox | FileCheck %s --check-prefix=PHILOX
// RUN: kiln-run %s --target=cpu --entry=philox | FileCheck %s --check-prefix=PHILOX
// RUN: kiln-run %s --target=reference --entry=threefry | FileCheck %s --check-prefix=THREEFRY
// RUN: kiln-run %s --target=cpu --entry=least | FileCheck %s --check-prefix=LEAST
// RUN: kiln-run %s --target=cpu --entry=windows | FileCheck %s --check-prefix=WINDOWS

// The upper triangle is not read: 9 is none of the matrix.
// ROOT: 2x2xf32: 2, 0, 1, 3
func.func @cholesky() -> tensor<2x2xf32> {
  %a = stablehlo.constant dense<[[4.0, 9.0], [2.0, 10.0]]> : tensor<2x2xf32>
  %r = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// What is above the diagonal is not read either.
// SOLVE: 2x1xf32: 3, 1
func.func @solve() -> tensor<2x1xf32> {
  %a = stablehlo.constant dense<[[2.0, 0x7FC00000], [4.0, 8.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[6.0], [20.0]]> : tensor<2x1xf32>
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

// The numbers are those that XLA draws.
// PHILOX: 2xu64: 8589934593, 17179869189
// PHILOX: 5xu32: 512747620, 1298009047, 1267190206, 761827841, 1383286907
func.func @philox() -> (tensor<2xui64>, tensor<5xui32>) {
  %s = stablehlo.constant dense<[8589934593, 17179869187]> : tensor<2xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  return %n, %r : tensor<2xui64>, tensor<5xui32>
}

// THREEFRY: 2xu64: 8589934593, 17179869190
// THREEFRY: 5xu32: 1576285164, 2249660814, 740599976, 2425682526, 2436392515
func.func @threefry() -> (tensor<2xui64>, tensor<5xui32>) {
  %s = stablehlo.constant dense<[8589934593, 17179869187]> : tensor<2xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  return %n, %r : tensor<2xui64>, tensor<5xui32>
}

// The rounds of the generator use each number twice, above a reduction and
// below another one.
// LEAST: 1xu32: 117506795
func.func @least() -> tensor<1xui32> {
  %x = stablehlo.iota dim = 0 : tensor<64xui64>
  %zero = stablehlo.constant dense<0> : tensor<ui64>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64xui64>, tensor<ui64>) -> tensor<ui64>
  %s = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<ui64>) -> tensor<2xui64>
  %n, %r = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  %most = stablehlo.constant dense<4294967295> : tensor<ui32>
  %m = stablehlo.reduce(%r init: %most) applies stablehlo.minimum across dimensions = [0] : (tensor<8xui32>, tensor<ui32>) -> tensor<ui32>
  %y = stablehlo.reshape %m : (tensor<ui32>) -> tensor<1xui32>
  return %y : tensor<1xui32>
}

// Each window begins with 10, and so does the element of padding.
// WINDOWS: 3xf32: 21, 13, 22
func.func @windows() -> tensor<3xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = stablehlo.constant dense<10.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>} : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @cholesky_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected at least two dimensions, found 1}}
  %0:2 = prim.cholesky %a : tensor<4xf32>
  return
}

// -----

func.func @cholesky_c2(%a: tensor<4x3xf32>) {
  // expected-error @+1 {{expected as many rows as columns, found [4, 3]}}
  %0:2 = prim.cholesky %a : tensor<4x3xf32>
  return
}

// -----

func.func @lu_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected at least two dimensions, found 1}}
  %0:4 = prim.lu %a : tensor<4xf32>
  return
}

// -----

func.func @pivots_c1(%p: tensor<i32>) {
  // expected-error @+1 {{expected at least one dimension, found 0}}
  %0 = prim.pivots_to_permutation %p rows 4 : tensor<i32>
  return
}

// -----

func.func @pivots_c2(%p: tensor<6xi32>) {
  // expected-error @+1 {{expected 'rows' of at least the size of the last dimension, found 4}}
  %0 = prim.pivots_to_permutation %p rows 4 : tensor<6xi32>
  return
}

// -----

func.func @solve_c1(%a: tensor<4x4xf32>, %b: tensor<2x4x3xf32>) {
  // expected-error @+1 {{expected a second operand of rank 2, found 3}}
  %0 = prim.triangular_solve %a, %b : tensor<4x4xf32>, tensor<2x4x3xf32>
  return
}

// -----

func.func @solve_c2(%a: tensor<4x4xf32>, %b: tensor<5x3xf32>) {
  // expected-error @+1 {{expected 4 rows, found 5}}
  %0 = prim.triangular_solve %a, %b : tensor<4x4xf32>, tensor<5x3xf32>
  return
}

// -----

func.func @solve_c3(%a: tensor<2x4x4xf32>, %b: tensor<3x4x3xf32>) {
  // expected-error @+1 {{expected operands with equal dimensions before the matrices, found [2, 4, 4] and [3, 4, 3]}}
  %0 = prim.triangular_solve %a, %b : tensor<2x4x4xf32>, tensor<3x4x3xf32>
  return
}

// -----

func.func @solve_c4(%a: tensor<4x4xf32>, %b: tensor<4x3xf64>) {
  // expected-error @+1 {{expected operands of one element type}}
  %0 = prim.triangular_solve %a, %b : tensor<4x4xf32>, tensor<4x3xf64>
  return
}

// -----

func.func @qr_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected at least two dimensions, found 1}}
  %0:2 = prim.householder_qr %a : tensor<4xf32>
  return
}

// -----

func.func @product_c1(%a: tensor<4x3xf32>, %s: tensor<4x3xf32>) {
  // expected-error @+1 {{expected a second operand of rank 1, found 2}}
  %0 = prim.householder_product %a, %s : tensor<4x3xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @product_c2(%a: tensor<3x4xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected at most as many columns as rows and as many scales as columns, found [3, 4] and [3]}}
  %0 = prim.householder_product %a, %s : tensor<3x4xf32>, tensor<3xf32>
  return
}

// -----

func.func @eigh_c2(%a: tensor<4x3xf32>) {
  // expected-error @+1 {{expected as many rows as columns, found [4, 3]}}
  %0:3 = prim.eigh %a : tensor<4x3xf32>
  return
}

// -----

func.func @eig_c2(%a: tensor<4x3xf32>) {
  // expected-error @+1 {{expected as many rows as columns, found [4, 3]}}
  %0:5 = prim.eig %a : tensor<4x3xf32>
  return
}

// -----

func.func @svd_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected at least two dimensions, found 1}}
  %0:4 = prim.svd %a : tensor<4xf32>
  return
}

// -----

func.func @types(%a: tensor<4x4xf16>) {
  // expected-error @+1 {{must be ranked tensor of 32-bit float or 64-bit float values}}
  %0:2 = prim.cholesky %a : tensor<4x4xf16>
  return
}

// -----

func.func @complex_cholesky_c2(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{expected twice as many columns as rows, found [4, 4]}}
  %0:2 = prim.complex_cholesky %a : tensor<4x4xf32>
  return
}

// -----

func.func @complex_lu_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected at least two dimensions, found 1}}
  %0:4 = prim.complex_lu %a : tensor<4xf32>
  return
}

// -----

func.func @complex_lu_c2(%a: tensor<4x3xf32>) {
  // expected-error @+1 {{expected matrices of known size with two columns for each complex element, found [4, 3]}}
  %0:4 = prim.complex_lu %a : tensor<4x3xf32>
  return
}

// -----

func.func @complex_solve_c2(%a: tensor<4x8xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{expected 4 rows, found 3}}
  %0 = prim.complex_triangular_solve %a, %b : tensor<4x8xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @complex_solve_c2_of_b(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+1 {{expected matrices of known size with two columns for each complex element, found [4, 3]}}
  %0 = prim.complex_triangular_solve %a, %b : tensor<4x8xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @complex_qr_c2(%a: tensor<?x4xf32>) {
  // expected-error @+1 {{expected matrices of known size with two columns for each complex element, found [?, 4]}}
  %0:2 = prim.complex_householder_qr %a : tensor<?x4xf32>
  return
}

// -----

func.func @complex_product_c2(%a: tensor<4x4xf32>, %s: tensor<6xf32>) {
  // expected-error @+1 {{expected at most as many complex columns as rows and as many scales as columns, found [4, 4] and [6]}}
  %0 = prim.complex_householder_product %a, %s : tensor<4x4xf32>, tensor<6xf32>
  return
}

// -----

func.func @complex_eigh_c2(%a: tensor<4x6xf32>) {
  // expected-error @+1 {{expected twice as many columns as rows, found [4, 6]}}
  %0:3 = prim.complex_eigh %a : tensor<4x6xf32>
  return
}

// -----

func.func @complex_svd_c2(%a: tensor<4x5xf32>) {
  // expected-error @+1 {{expected matrices of known size with two columns for each complex element, found [4, 5]}}
  %0:4 = prim.complex_svd %a : tensor<4x5xf32>
  return
}

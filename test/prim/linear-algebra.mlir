// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --prim-simplify | FileCheck %s --check-prefix=SIZES

// CHECK-LABEL: func.func @forms
func.func @forms(%a: tensor<2x8x8xf32>, %b: tensor<2x8x3xf32>, %m: tensor<8x6xf64>, %s: tensor<6xf64>, %p: tensor<2x6xi32>, %c: tensor<2x4x8xf32>) {
  // CHECK: prim.cholesky %{{.*}} : tensor<2x8x8xf32>
  %0:2 = prim.cholesky %a : tensor<2x8x8xf32>
  // CHECK: prim.lu %{{.*}} : tensor<8x6xf64>
  %1:4 = prim.lu %m : tensor<8x6xf64>
  // CHECK: prim.pivots_to_permutation %{{.*}} rows 8 : tensor<2x6xi32>
  %2 = prim.pivots_to_permutation %p rows 8 : tensor<2x6xi32>
  // CHECK: prim.triangular_solve %{{.*}}, %{{.*}} lower transpose unit : tensor<2x8x8xf32>, tensor<2x8x3xf32>
  %3 = prim.triangular_solve %a, %b lower transpose unit : tensor<2x8x8xf32>, tensor<2x8x3xf32>
  // CHECK: prim.householder_qr %{{.*}} : tensor<8x6xf64>
  %4:2 = prim.householder_qr %m : tensor<8x6xf64>
  // CHECK: prim.householder_product %{{.*}}, %{{.*}} : tensor<8x6xf64>, tensor<6xf64>
  %5 = prim.householder_product %m, %s : tensor<8x6xf64>, tensor<6xf64>
  // CHECK: prim.eigh %{{.*}} : tensor<2x8x8xf32>
  %6:3 = prim.eigh %a : tensor<2x8x8xf32>
  // CHECK: prim.eig %{{.*}} : tensor<2x8x8xf32>
  %7:5 = prim.eig %a : tensor<2x8x8xf32>
  // CHECK: prim.svd %{{.*}} full : tensor<8x6xf64>
  %8:4 = prim.svd %m full : tensor<8x6xf64>
  // CHECK: prim.complex_cholesky %{{.*}} : tensor<2x4x8xf32>
  %9:2 = prim.complex_cholesky %c : tensor<2x4x8xf32>
  // CHECK: prim.complex_lu %{{.*}} : tensor<8x6xf64>
  %10:4 = prim.complex_lu %m : tensor<8x6xf64>
  // CHECK: prim.complex_triangular_solve %{{.*}}, %{{.*}} lower unit : tensor<2x4x8xf32>, tensor<2x4x8xf32>
  %11 = prim.complex_triangular_solve %c, %c lower unit : tensor<2x4x8xf32>, tensor<2x4x8xf32>
  // CHECK: prim.complex_householder_qr %{{.*}} : tensor<8x6xf64>
  %12:2 = prim.complex_householder_qr %m : tensor<8x6xf64>
  // CHECK: prim.complex_householder_product %{{.*}}, %{{.*}} : tensor<8x6xf64>, tensor<6xf64>
  %13 = prim.complex_householder_product %12#0, %12#1 : tensor<8x6xf64>, tensor<6xf64>
  // CHECK: prim.complex_eigh %{{.*}} : tensor<2x4x8xf32>
  %14:3 = prim.complex_eigh %c : tensor<2x4x8xf32>
  // CHECK: prim.complex_svd %{{.*}} full : tensor<8x6xf64>
  %15:4 = prim.complex_svd %m full : tensor<8x6xf64>
  return
}

// Of the result of a full decomposition the rows, of another one the less.
// SIZES-LABEL: func.func @sizes
// SIZES-DAG: %[[M:.*]] = tensor.dim %arg0, %c0
// SIZES-DAG: %[[N:.*]] = tensor.dim %arg0, %c1
// SIZES-DAG: %[[K:.*]] = arith.minsi %[[M]], %[[N]]
// SIZES: return %[[M]], %[[K]], %[[N]]
func.func @sizes(%a: tensor<?x?xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u, %s, %vt, %i = prim.svd %a full : tensor<?x?xf32>
  %qr, %scales = prim.householder_qr %a : tensor<?x?xf32>
  %0 = tensor.dim %u, %c1 : tensor<?x?xf32>
  %1 = tensor.dim %scales, %c0 : tensor<?xf32>
  %2 = tensor.dim %vt, %c0 : tensor<?x?xf32>
  return %0, %1, %2 : index, index, index
}

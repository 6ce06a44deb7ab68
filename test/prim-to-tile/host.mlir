// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-compile %s --target=cpu -o %t.kiln --explain | FileCheck %s --check-prefix=ROW

// No kernel is made for it, and what comes from a view is made dense first.
// ROW: host {{.*}}prim.cholesky -> cholesky
// CHECK-LABEL: program.func @root
// CHECK: program.launch [@root_0_
// CHECK: program.host "cholesky"(%[[A:.*]]) to(%[[L:.*]], %[[I:.*]]) : memref<40x40xf32> to memref<40x40xf32>, memref<i32>
// CHECK: program.host "triangular_solve" flags ["lower"](%[[L]], %{{.*}}) to(%{{.*}}) : memref<40x40xf32>, memref<40x3xf32> to memref<40x3xf32>
func.func @root(%x: tensor<40x40xf32>, %b: tensor<40x3xf32>) -> (tensor<40x3xf32>, tensor<i32>) {
  %a = prim.transpose %x permutation [1, 0] : tensor<40x40xf32> -> tensor<40x40xf32>
  %l, %info = prim.cholesky %a : tensor<40x40xf32>
  %y = prim.triangular_solve %l, %b lower : tensor<40x40xf32>, tensor<40x3xf32>
  return %y, %info : tensor<40x3xf32>, tensor<i32>
}

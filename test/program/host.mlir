// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-run %s --target=cpu | FileCheck %s --check-prefix=VALUE

// CHECK-LABEL: program.func @main
// CHECK: program.host "cholesky"(%{{.*}}) to(%{{.*}}, %{{.*}}) : memref<2x2xf32> to memref<2x2xf32>, memref<i32>
// CHECK: program.host "triangular_solve" flags ["lower", "transpose"](%{{.*}}, %{{.*}}) to(%{{.*}}) : memref<2x2xf32>, memref<2x2xf32> to memref<2x2xf32>
// VALUE: 2x2xf32: 2, 0, 1, 3
program.func @main() -> (memref<2x2xf32>, memref<2x2xf32>) {
  %a = program.constant dense<[[4.0, 9.0], [2.0, 10.0]]> : tensor<2x2xf32> as memref<2x2xf32>
  %l = program.alloc : memref<2x2xf32>
  %i = program.alloc : memref<i32>
  %x = program.alloc : memref<2x2xf32>
  program.host "cholesky"(%a) to(%l, %i) : memref<2x2xf32> to memref<2x2xf32>, memref<i32>
  program.host "triangular_solve" flags ["lower", "transpose"](%l, %a) to(%x) : memref<2x2xf32>, memref<2x2xf32> to memref<2x2xf32>
  program.return %l, %x : memref<2x2xf32>, memref<2x2xf32>
}

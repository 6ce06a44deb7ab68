// An integer that becomes f32 and then 16 bits is rounded twice, as it is written: 2^40 + 2^32 + 1 is 2^40 in bf16 by way of f32.
// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s
// RUN: kiln-run %s --target=cpu --entry=both --arg=i64:1103806595073 --arg=i64:32785 --check | FileCheck %s --check-prefix=RUNS
// RUNS-COUNT-2: result {{.*}}: ok

// CHECK-DAG: arith.sitofp {{.*}} to {{.*}}f32
// CHECK-DAG: arith.truncf {{.*}}f32{{.*}} to {{.*}}bf16
// CHECK-DAG: arith.uitofp {{.*}} to {{.*}}f32
// CHECK-DAG: arith.truncf {{.*}}f32{{.*}} to {{.*}}f16
func.func @both(%a: tensor<i64>, %b: tensor<i64>) -> (tensor<bf16>, tensor<f16>) {
  %0 = prim.convert_element_type %a : tensor<i64> -> tensor<f32>
  %1 = prim.convert_element_type %0 : tensor<f32> -> tensor<bf16>
  %2 = prim.convert_element_type %b from_unsigned : tensor<i64> -> tensor<f32>
  %3 = prim.convert_element_type %2 : tensor<f32> -> tensor<f16>
  return %1, %3 : tensor<bf16>, tensor<f16>
}

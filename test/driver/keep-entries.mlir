// kiln-keep-entries makes the named entries public and removes what none of them needs.
// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-keep-entries{entry=wanted})' | FileCheck %s --implicit-check-not=@other
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(kiln-keep-entries{entry=absent})' 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: no function 'absent' with a body, expected one of: wanted, helper, other

// CHECK: func.func @wanted
func.func @wanted(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @helper(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK: func.func private @helper
func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = prim.neg %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @other(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

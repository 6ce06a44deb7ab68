// RUN: kiln-opt %s --split-input-file --verify-diagnostics
// RUN: not kiln-compile %S/Inputs/sharded.mlir --target=reference -o %t.kiln 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: sharded.mlir:4:8: error: unsupported: sdy.manual_computation on 2 devices

// expected-error @+1 {{expected an axis of at least 1}}
sdy.mesh @zero = <["x"=0]>

// -----

func.func @sides(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected 'replicated' or 'unreduced'}}
  %0 = sdy.reshard %a <@m, [{}], other={"x"}> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @priority(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a priority such as p1}}
  %0 = sdy.reshard %a <@m, [{"x"}q1]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @parts(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a sharding for each operand and result}}
  %0 = sdy.manual_computation(%a) in_shardings=[] out_shardings=[<@m, [{}]>] manual_axes={} (%p: tensor<4xf32>) {
    sdy.return %p : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RUN: kiln-opt %s --convert-tosa-to-prim --split-input-file --verify-diagnostics | FileCheck %s

// Calls are inlined; what measures and prints is left out, and what a function without results
// prints is its result.
func.func private @clock() -> f64
func.func private @print(tensor<*xf32>)

// CHECK-LABEL: func.func @kernel(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = prim.exp %arg0
// CHECK-NEXT: return %[[R]]
func.func @kernel(%x: tensor<4xf32>) {
  // expected-remark@+1 {{ignored: call of undefined function 'clock'}}
  %start = call @clock() : () -> f64
  %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@+1 {{ignored: call of undefined function 'clock'}}
  %end = call @clock() : () -> f64
  %time = arith.subf %end, %start : f64
  %any = tensor.cast %0 : tensor<4xf32> to tensor<*xf32>
  // expected-remark@+1 {{ignored: call of undefined function 'print'}}
  call @print(%any) : (tensor<*xf32>) -> ()
  vector.print %time : f64
  return
}

// CHECK-LABEL: func.func @main() -> tensor<4xf32>
// CHECK: %[[C:.*]] = prim.constant dense<2.000000e+00>
// CHECK: prim.exp %[[C]]
func.func @main() {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  call @kernel(%c) : (tensor<4xf32>) -> ()
  return
}

// -----

// Attributes of dialects that nobody knows are no obstacle.
module attributes {tf_saved_model.semantics} {
  // CHECK-LABEL: func.func @known(%arg0: tensor<4xf32>) -> tensor<4xf32>
  func.func @known(%x: tensor<4xf32> {foo.bar = "x"}) -> (tensor<4xf32> {foo.bar = ["y"]}) attributes {foo.names = ["z"]} {
    %0 = call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  // CHECK-NOT: @helper
  func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

func.func private @measure() -> tensor<4xf32>

func.func @needed(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark@+2 {{ignored: call of undefined function 'measure'}}
  // expected-error@+1 {{unsupported: call of undefined function 'measure'}}
  %0 = call @measure() : () -> tensor<4xf32>
  %1 = tosa.add %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{its result is needed here}}
  return %1 : tensor<4xf32>
}

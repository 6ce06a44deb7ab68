// Sessions in threads, one session from several, and what wrong tensors get.
// RUN: %cc -std=c99 -Wall -Wextra -Werror -I%source/include %S/Inputs/sessions.c -o %t -L%build/lib -lkiln-runtime -lpthread -Wl,-rpath,%build/lib
// RUN: kiln-compile %s --target=cpu -o %t.kiln && %t %t.kiln | FileCheck %s
// CHECK: expected sizes of at least 0, found -2 for dimension 1
// CHECK-NEXT: expected sizes of at least 0, found -2 for dimension 1
// CHECK-NEXT: expected strides of at least 0, found -2 for dimension 0
// CHECK-NEXT: a tensor of type 4611686018427387903x4xf32 is too large
// CHECK-NEXT: expected a rank of 0 to 32, found -1
// CHECK-NEXT: expected a rank of 0 to 32, found 40
// CHECK-NEXT: unknown element type 1000
// CHECK-NEXT: 'main' is a function, which has no grid
func.func @main(%x: tensor<20000xf32>) -> tensor<20000xf32> {
  %e = math.exp %x : tensor<20000xf32>
  %c = arith.constant dense<0.0> : tensor<f32>
  %s = linalg.reduce ins(%e : tensor<20000xf32>) outs(%c : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %t = arith.addf %a, %b : f32
      linalg.yield %t : f32
    }
  %o = tensor.empty() : tensor<20000xf32>
  %w = linalg.broadcast ins(%s : tensor<f32>) outs(%o : tensor<20000xf32>) dimensions = [0]
  %r = arith.divf %e, %w : tensor<20000xf32>
  return %r : tensor<20000xf32>
}

// A program that is asked for may have no results.
// RUN: kiln-compile %s --target=cpu -o %t.kiln
// RUN: kiln-run %t.kiln --arg=random:1 --dim=3
// RUN: kiln-run %t.kiln --inspect | FileCheck %s
// CHECK: function main(b0: <?xf32>) {
// CHECK-NOT: launch
// CHECK: return
module @jit_f {
  func.func public @main(%arg0: tensor<?xf32>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<?xf32>
    return
  }
}

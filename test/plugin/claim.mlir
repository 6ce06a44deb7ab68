// A claim at prim level keeps the claimed operations as its region; without a
// schedule for it they are put back, and the numbers stay right.
// RUN: %plugin_cxx %S/Inputs/claim.cpp -o %t.so
// RUN: kiln-opt %s --load-target=%t.so --kiln-set-target=spec=cpu --prim-claim | FileCheck %s
// RUN: kiln-opt %s --load-target=%t.so --kiln-set-target=spec=cpu --prim-claim --prim-inline-claims \
// RUN:   | FileCheck %s --check-prefix=INLINED
// RUN: kiln-compile %s --load-target=%t.so --target=cpu -o %t.kiln --explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: kiln-run %s --load-target=%t.so --target=cpu --check
// EXPLAIN: claim{{ *}}prim.claim -> test.muladd [cpu]
// EXPLAIN: claim{{ *}}prim.claim -> inlined
// EXPLAIN-NEXT: declined by cpu: there is no schedule for claim.muladd

// CHECK-LABEL: func.func @main
// CHECK: %[[E:.*]] = prim.exp %arg1
// CHECK: %[[C:.*]]:2 = prim.claim "cpu" "muladd"(%arg0, %arg1, %[[E]])
// CHECK:   prim.mul
// CHECK:   prim.add
// CHECK:   prim.yield
// CHECK: prim.neg %[[C]]#0
// INLINED-LABEL: func.func @main
// INLINED-NOT: prim.claim
// INLINED: prim.mul
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = prim.mul %a, %b : tensor<4xf32>
  %n = prim.neg %p : tensor<4xf32>
  %e = prim.exp %b : tensor<4xf32>
  %s = prim.add %p, %e : tensor<4xf32>
  %t = prim.add %s, %n : tensor<4xf32>
  return %t, %n : tensor<4xf32>, tensor<4xf32>
}

// RUN: kiln-compile %s --target=cpu --emit=program | FileCheck %s

// What does not need the sum runs before it is waited for.
// CHECK-LABEL: program.func @overlap
// CHECK: program.collective "all_reduce" "add" %[[X:.*]] to %[[S:.*]] ranks [array<i64: 0, 1>]
// CHECK: program.launch [@overlap_0_
// CHECK: program.wait %[[S]] for %[[X]]
// CHECK: program.launch [@overlap_1_
func.func @overlap(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %s = prim.all_reduce add %x groups [[0, 1]] : tensor<64xf32>
  %e = prim.exp %y : tensor<64xf32>
  %n = prim.neg %s : tensor<64xf32>
  return %e, %n : tensor<64xf32>, tensor<64xf32>
}

// Before a branch everything is there, and nobody waits twice.
// CHECK-LABEL: program.func @branch
// CHECK: program.collective "permute"
// CHECK: program.wait
// CHECK: scf.if
// CHECK-NOT: program.wait
// CHECK: program.return
func.func @branch(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  %s = prim.permute %x pairs [[0, 1], [1, 0]] : tensor<8xf32>
  %r = prim.if %p : tensor<i1> -> (tensor<8xf32>) {
    prim.yield %s : tensor<8xf32>
  } else {
    %n = prim.neg %s : tensor<8xf32>
    prim.yield %n : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
